"""A model words what refers to something; what only passages tie to an exchange is worded by the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conversations.domain import turn as stages
from tests.unit.turn.fakes import Model, ports, talk


@pytest.mark.parametrize("by_passages", [True, False])
def test_no_model_is_asked_for_it(by_passages: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stages.weighed

    async def weighed(*given: Any) -> Any:
        return replace(await whole(*given), by_passages=by_passages)

    monkeypatch.setattr(stages, "weighed", weighed)
    model = Model()
    talk("What is the RPO for Frankfurt?", "and for Dublin?", given=ports(model=model))
    asked = [kind for kind, _ in model.calls]
    assert asked == (["stream", "stream"] if by_passages else ["stream", "reply", "stream"])
