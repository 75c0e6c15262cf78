"""The table of docs/metrics.md, from the metrics themselves: `python -m tests.docs.metrics_table` writes it anew."""

from __future__ import annotations

from dataclasses import dataclass

from tests.docs.generated import Part

PART = Part("metrics", "metrics")
written = PART.written


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as Prometheus stores it: `names` are those that can be queried."""

    name: str
    kind: str
    told: str
    labels: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        if self.kind == "histogram":
            return frozenset(f"{self.name}_{part}" for part in ("bucket", "sum", "count"))
        return frozenset({self.name})


def metrics() -> list[Metric]:
    """Every metric that a web or worker process can tell."""
    from config.metrics import COUNTERS, HELD, TIMES
    from config.metrics_backlog import families

    counters = [
        Metric(f"antecedent_{n}_total", "counter", told, labels) for n, (told, labels) in COUNTERS.items()
    ]
    times = [
        Metric(f"antecedent_{n}_seconds", "histogram", told, labels) for n, (told, labels) in TIMES.items()
    ]
    held = [Metric(f"antecedent_{name}", "gauge", told, ()) for name, told in HELD.items()]
    asked = families((), is_known=False)
    backlog = [Metric(f.name, "gauge", f.documentation, tuple(f._labelnames)) for f in asked]
    return sorted([*counters, *times, *held, *backlog], key=lambda metric: metric.name)


def table() -> str:
    rows = [
        f"| `{metric.name}` | {metric.kind} | {', '.join(f'`{label}`' for label in metric.labels)} | {metric.told}. |"
        for metric in metrics()
    ]
    return "\n".join(["| metric | kind | labels | what it tells |", "|---|---|---|---|", *rows])


if __name__ == "__main__":
    PART.write(table)
