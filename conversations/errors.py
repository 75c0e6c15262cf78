"""What can go wrong in a conversation, in words a person understands."""

from __future__ import annotations

from kernel.errors import DomainError


class SessionNotFound(DomainError):
    """This conversation does not exist, or it is not yours."""

    code = "session_not_found"
    http_status = 404


class TurnNotFound(DomainError):
    """There is no such message in this conversation."""

    code = "turn_not_found"
    http_status = 404


class MessageEmpty(DomainError):
    """Please type a message."""

    code = "message_empty"


class MessageTooLong(DomainError):
    """The message is too long: {length} characters, and {limit} are allowed."""

    code = "message_too_long"


class TooManyWaiting(DomainError):
    """There are already {waiting} messages waiting for an answer. Please let me answer first."""

    code = "too_many_waiting"
    retryable = True
    http_status = 429


class TurnInterrupted(DomainError):
    """The answer was interrupted several times. Please try again."""

    code = "turn_interrupted"
    retryable = True
    http_status = 503


class TurnBroken(DomainError):
    """Something went wrong on our side while answering. Please try again."""

    code = "turn_broken"
    retryable = True
    http_status = 500


class NotRetryable(DomainError):
    """Only a failed or stopped answer can be tried again."""

    code = "not_retryable"
    http_status = 409


class UnknownCommand(DomainError):
    """The message could not be understood: {reason}"""

    code = "unknown_command"


class LeaseLost(DomainError):
    """Another process answers in this conversation now."""

    code = "lease_lost"
    http_status = 409
