"""docs/metrics.md, the dashboard and the alerts name metrics and labels that exist, and no others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.docs.metrics_table import metrics, table, written

ROOT = Path(__file__).parents[2]
OBSERVABILITY = ROOT / "deploy/observability"
NAME = re.compile(r"antecedent_[a-z_]+")
SELECTED = re.compile(r"(antecedent_[a-z_]+)(?:\{([^}]*)\})?")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
# Labels that Prometheus itself adds.
ADDED = {"job", "instance", "le"}


def _alerts() -> list[dict[str, object]]:
    groups = yaml.safe_load((OBSERVABILITY / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def _queries() -> Iterator[str]:
    yield from (str(rule["expr"]) for rule in _alerts())
    for panel in json.loads((OBSERVABILITY / "dashboard.json").read_text())["panels"]:
        yield from (target["expr"] for target in panel["targets"])


def _wrong(query: str) -> set[str]:
    """Names and labels in a query that no metric has."""
    known = {name: {*metric.labels, *ADDED} for metric in metrics() for name in metric.names}
    used = {name for name, _ in SELECTED.findall(query)}
    wrong = used - known.keys()
    allowed = set.union(ADDED, *(known[name] for name in used - wrong))
    for name, selection in SELECTED.findall(query):
        wrong |= set(re.findall(r"(\w+)\s*[!=]=?~?\s*\"", selection)) - known.get(name, set())
    for labels in GROUPED.findall(query):
        wrong |= {label.strip() for label in labels.split(",")} - allowed
    return wrong


def test_the_page_lists_every_metric_as_it_is() -> None:
    assert written() == table(), "run `python -m tests.docs.metrics_table`"


@pytest.mark.parametrize("query", list(_queries()))
def test_a_query_names_metrics_and_labels_that_exist(query: str) -> None:
    assert not _wrong(query)


@pytest.mark.parametrize(
    "query",
    [
        "sum(rate(antecedent_turn_total[5m]))",
        "sum by (tenant) (rate(antecedent_turns_total[5m]))",
        'sum(antecedent_cache_total{results="hit"})',
        "antecedent_turn_stage_seconds",
    ],
)
def test_a_query_that_names_something_else_is_found(query: str) -> None:
    assert _wrong(query)


@pytest.mark.parametrize("page", ["docs/metrics.md", "docs/observability.md"])
def test_a_page_names_no_metric_that_does_not_exist(page: str) -> None:
    known = {name for metric in metrics() for name in (metric.name, *metric.names)}
    assert set(NAME.findall((ROOT / page).read_text())) <= known


def test_whatever_is_called_like_a_metric_in_deploy_is_one() -> None:
    known = {name for metric in metrics() for name in (metric.name, *metric.names)}
    files = [path for path in (ROOT / "deploy").rglob("*") if path.suffix in {".yaml", ".json", ".md", ".sh"}]
    told = {name for path in files for name in re.findall(r"\bantecedent_[a-z_]+", path.read_text())}
    assert "antecedent_sockets_open" in told and told <= known


def test_the_dashboard_shows_every_metric() -> None:
    shown = set(NAME.findall((OBSERVABILITY / "dashboard.json").read_text()))
    assert not [metric.name for metric in metrics() if not metric.names & shown]


def test_every_alert_says_what_to_do() -> None:
    rules = _alerts()
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        annotations = rule["annotations"]
        assert isinstance(annotations, dict) and annotations["summary"] and annotations["description"]
        assert rule["labels"] in ({"severity": "critical"}, {"severity": "warning"})


def test_the_job_that_alerts_ask_for_is_scraped() -> None:
    jobs = yaml.safe_load((OBSERVABILITY / "scrape.yaml").read_text())["scrape_configs"]
    assert {job["job_name"] for job in jobs} == {"antecedent-web", "antecedent-worker"}
