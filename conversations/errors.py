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


class WhatIfUnknown(DomainError):
    """The {kind} {name} changes no search, so there is nothing to replay. The scope policy and the prompt contextualize do."""

    code = "what_if_unknown"


class WhatIfNeedsModel(DomainError):
    """This replay needs a model that rewrites: a prompt changes nothing without one. Configure a model and ask for it."""

    code = "what_if_needs_model"


class ReplaysEnough(DomainError):
    """{most} replays are under way already. Wait for one of them, or cancel one."""

    code = "replays_enough"
    retryable = True
    http_status = 429


class ReplayOver(DomainError):
    """This replay is {state}: that is not possible now."""

    code = "replay_over"
    http_status = 409


class SetRefused(DomainError):
    """Nothing was loaded: the set has {count} mistakes. The first: {first}"""

    code = "followup_set_refused"


class SetNameTaken(DomainError):
    """There is a set called {name} already. Choose another name."""

    code = "followup_set_name_taken"
    http_status = 409


class ItemKeyTaken(DomainError):
    """The set has an item called {key} already."""

    code = "followup_item_key_taken"
    http_status = 409


class SetFull(DomainError):
    """A set holds {most} items at most."""

    code = "followup_set_full"
    http_status = 409


class SetGuards(DomainError):
    """The gates of publishing ask for this set. Choose another one there, or turn them off, before you delete it."""

    code = "followup_set_guards"
    http_status = 409


class EvaluationsEnough(DomainError):
    """{most} evaluations are under way already. Wait for one of them, or cancel one."""

    code = "evaluations_enough"
    retryable = True
    http_status = 429


class EvaluationOver(DomainError):
    """This evaluation is {state}: that is not possible now."""

    code = "evaluation_over"
    http_status = 409


class EvaluationNeedsModel(DomainError):
    """No model is configured, so none can rewrite. Run it without one."""

    code = "evaluation_needs_model"
