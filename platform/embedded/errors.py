"""What can go wrong around the embedded servers, said so that a newcomer knows what to do next."""

from __future__ import annotations

from kernel.errors import DomainError


class ServerFailed(DomainError):
    """{name} did not start: {reason}. Its log: {log}"""

    code = "embedded_server_failed"
    retryable = True
    http_status = 503


class StackInUse(DomainError):
    """The state directory {state_dir} is in use by process {pid}. Stop that process first (kill {pid})."""

    code = "embedded_stack_in_use"
    retryable = True
    http_status = 409


class ProgramGaveUp(DomainError):
    """{name} {ended} {times} times in a row right after its start, so everything stops here. Its last lines:
    {tail}"""

    code = "embedded_program_gave_up"
    http_status = 503


class TaskFailed(DomainError):
    """{name} {ended}; nothing that depends on it was started. The lines above say why."""

    code = "embedded_task_failed"
    http_status = 503


class ForeignState(DomainError):
    """{path} belongs to the user {owner} and cannot be used by {user}. Run this as {owner}, or choose another
    state directory with ANTECEDENT_STATE."""

    code = "embedded_foreign_state"
    http_status = 403
