"""A dead provider is left alone for a while."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from conversations.adapters.circuit import Circuit

THRESHOLD, COOL_DOWN = 3, 10.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def circuit() -> tuple[Circuit, Clock]:
    clock = Clock()
    return Circuit(threshold=THRESHOLD, cool_down=COOL_DOWN, clock=clock), clock


def opened() -> tuple[Circuit, Clock]:
    broken, clock = circuit()
    for _ in range(THRESHOLD):
        assert broken.admit()
        broken.failed()
    return broken, clock


def test_it_opens_after_failures_in_a_row_and_lets_nothing_through():
    broken, _ = opened()
    assert broken.state == "open"
    assert not broken.admit()
    assert broken.retry_after() == COOL_DOWN


def test_an_answer_in_between_starts_the_count_again():
    whole, _ = circuit()
    for _ in range(4):
        for _ in range(THRESHOLD - 1):
            whole.failed()
        whole.succeeded()
    assert whole.state == "closed"


def test_after_the_cool_down_one_trial_decides():
    broken, clock = opened()
    clock.now += COOL_DOWN
    assert broken.state == "half_open"
    assert [broken.admit() for _ in range(3)] == [True, False, False]
    broken.succeeded()
    assert broken.state == "closed"
    assert broken.admit()


def test_a_failed_trial_opens_it_for_another_cool_down():
    broken, clock = opened()
    clock.now += COOL_DOWN
    assert broken.admit()
    broken.failed()
    clock.now += COOL_DOWN - 1
    assert not broken.admit()
    clock.now += 1
    assert broken.admit()


def test_an_abandoned_trial_makes_room_for_the_next():
    broken, clock = opened()
    clock.now += COOL_DOWN
    assert broken.admit()
    broken.abandoned()
    assert broken.admit()


def test_late_failures_of_earlier_calls_do_not_prolong_it():
    broken, clock = opened()
    clock.now += COOL_DOWN - 1
    broken.failed()
    clock.now += 1
    assert broken.admit()


class CircuitMachine(RuleBasedStateMachine):
    """Any order of calls, outcomes and time, against what the pattern promises."""

    def __init__(self) -> None:
        super().__init__()
        self.circuit, self.clock = circuit()
        self.out = 0
        self.in_a_row = 0
        self.trials = 0

    @rule()
    def call(self):
        before = self.circuit.state
        admitted = self.circuit.admit()
        assert admitted == (before == "closed" or (before == "half_open" and self.trials == 0))
        if admitted:
            self.out += 1
            self.trials += before == "half_open"

    @precondition(lambda self: self.out)
    @rule()
    def fails(self):
        self.circuit.failed()
        self.out -= 1
        self.in_a_row += 1
        self.trials = 0

    @precondition(lambda self: self.out)
    @rule()
    def answers(self):
        before, trial = self.circuit.state, self.trials
        self.circuit.succeeded()
        self.out -= 1
        self.trials = 0
        if before == "closed" or trial:
            self.in_a_row = 0
            assert self.circuit.state == "closed"

    @precondition(lambda self: self.out)
    @rule()
    def is_abandoned(self):
        before = self.circuit.state
        self.circuit.abandoned()
        self.out -= 1
        self.trials = 0
        assert self.circuit.state == before

    @rule(seconds=st.sampled_from([0.1, 4.0, COOL_DOWN]))
    def time_passes(self, seconds):
        self.clock.now += seconds

    @invariant()
    def few_failures_never_open_it(self):
        if self.in_a_row < THRESHOLD:
            assert self.circuit.state == "closed"

    @invariant()
    def an_open_circuit_opens_up_again_in_time(self):
        assert 0 <= self.circuit.retry_after() <= COOL_DOWN
        if self.circuit.state == "open":
            assert self.circuit.retry_after() > 0


CircuitMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestCircuitMachine = CircuitMachine.TestCase
