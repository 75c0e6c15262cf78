"""Each alert rings for what it is there for and is silent on an ordinary day, by Prometheus' own reckoning."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

import pytest
import yaml

from tests.deploy.manifests import DEPLOY
from tests.deploy.tools import tool

RULES = DEPLOY / "observability/alerts.yaml"
PACKAGE = "Debian's package prometheus"


@dataclass(frozen=True)
class Case:
    """Series as `promtool test rules` writes them (a sample each minute), and what comes of them at a moment."""

    bad: dict[str, str]
    good: dict[str, str]
    at: str


COUNTED = 'antecedent_turns_total{outcome="failed"}', 'antecedent_turns_total{outcome="completed"}'
SEARCHES = 'antecedent_turn_stage_seconds_bucket{stage="retrieve",le="0.1"}'
ALL_SEARCHES = 'antecedent_turn_stage_seconds_bucket{stage="retrieve",le="+Inf"}'
SLOWER = 'antecedent_turn_stage_seconds_bucket{stage="retrieve",le="5"}'
DOCUMENTS = 'antecedent_documents_total{state="failed"}', 'antecedent_documents_total{state="indexed"}'
CALLS = 'antecedent_model_calls_total{outcome="timeout"}', 'antecedent_model_calls_total{outcome="ok"}'
VERDICTS = 'antecedent_verdicts_total{verdict="invented"}', 'antecedent_verdicts_total{verdict="clean"}'
FULL = 'antecedent_refusals_total{code="storage_full"}'
WAITING = 'antecedent_queue_oldest_seconds{tenant="acme",queue="%s"}'
CASES = {
    "AntecedentDown": Case({'up{job="antecedent-web"}': "0x10"}, {'up{job="antecedent-web"}': "1x10"}, "5m"),
    "AntecedentDatabaseDoesNotTell": Case(
        {'antecedent_backlog_up{job="antecedent-worker"}': "0x10"},
        {
            'antecedent_backlog_up{job="antecedent-worker"}': "0x10",
            'antecedent_backlog_up{job="antecedent-web"}': "1x10",
        },
        "5m",
    ),
    "AntecedentStorageIsFull": Case({FULL: "0x5 0+3x10"}, {FULL: "7x20"}, "10m"),
    "AntecedentTurnsFail": Case(
        {COUNTED[0]: "0+2x30", COUNTED[1]: "0+20x30"}, {COUNTED[0]: "0+1x30", COUNTED[1]: "0+60x30"}, "15m"
    ),
    "AntecedentTurnsWait": Case({WAITING % "turns": "200x10"}, {WAITING % "turns": "60x10"}, "5m"),
    "AntecedentDocumentsWait": Case(
        {WAITING % "documents": "2000x30"},
        {WAITING % "documents": "900x30", WAITING % "turns": "2000x30"},
        "15m",
    ),
    "AntecedentDocumentsFail": Case(
        {DOCUMENTS[0]: "0+3x90", DOCUMENTS[1]: "0+3x90"},
        {DOCUMENTS[0]: "0+1x90", DOCUMENTS[1]: "0+9x90"},
        "80m",
    ),
    "AntecedentAnswersAreSlow": Case(
        {SEARCHES: "0+5x40", SLOWER: "0+10x40", ALL_SEARCHES: "0+10x40"},
        {SEARCHES: "0+10x40", SLOWER: "0+10x40", ALL_SEARCHES: "0+10x40"},
        "30m",
    ),
    "AntecedentModelFails": Case(
        {CALLS[0]: "0+3x30", CALLS[1]: "0+10x30"}, {CALLS[0]: "0+1x30", CALLS[1]: "0+20x30"}, "15m"
    ),
    "AntecedentRewritesAreContaminated": Case(
        {VERDICTS[0]: "0+3x180", VERDICTS[1]: "0+10x180"},
        {VERDICTS[0]: "0+1x180", VERDICTS[1]: "0+20x180"},
        "150m",
    ),
    "AntecedentLeak": Case(
        {"antecedent_leakage_findings_open": "1x5"}, {"antecedent_leakage_findings_open": "0x5"}, "2m"
    ),
    "AntecedentLeakageIsNotLookedFor": Case(
        {"antecedent_leakage_checks_total": "5x1600", COUNTED[1]: "0+1x1600"},
        {"antecedent_leakage_checks_total": "0x700 9x900", COUNTED[1]: "0+1x1600"},
        "1550m",
    ),
}


def _alerts() -> list[str]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return [rule["alert"] for group in groups for rule in group["rules"]]


def _test(name: str, series: dict[str, str], at: str, rings: int) -> dict[str, object]:
    asked = f'count(ALERTS{{alertname="{name}",alertstate="firing"}}) or vector(0)'
    return {
        "interval": "1m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "promql_expr_test": [
            {"expr": asked, "eval_time": at, "exp_samples": [{"labels": "{}", "value": rings}]}
        ],
    }


def test_every_alert_is_tried_here() -> None:
    assert set(CASES) == set(_alerts())


def test_the_rules_are_well_formed() -> None:
    subprocess.run([tool("promtool", PACKAGE), "check", "rules", RULES], check=True)


def test_the_list_of_whom_to_ask_is_well_formed(tmp_path) -> None:
    """Read with the token in a file that is there."""
    (tmp_path / "token").write_text("word")
    text = (DEPLOY / "observability/scrape.yaml").read_text()
    named = text.replace("/etc/prometheus/antecedent-metrics-token", str(tmp_path / "token"))
    assert named != text
    (tmp_path / "prometheus.yml").write_text(named)
    (tmp_path / "alerts.yaml").write_text(RULES.read_text())
    subprocess.run([tool("promtool", PACKAGE), "check", "config", tmp_path / "prometheus.yml"], check=True)


@pytest.mark.parametrize("name", CASES)
def test_it_rings_when_it_should_and_only_then(name, tmp_path) -> None:
    case = CASES[name]
    tests = [_test(name, case.bad, case.at, 1), _test(name, case.good, case.at, 0)]
    file = tmp_path / "tests.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": tests}))
    done = subprocess.run([tool("promtool", PACKAGE), "test", "rules", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
