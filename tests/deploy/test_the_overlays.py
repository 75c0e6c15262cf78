"""Each overlay, put together by kustomize, is valid and whole: whatever it refers to is in it or told to the operator."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.deploy.manifests import ROOT, compose, pod_of
from tests.deploy.overlays import NAMES, of_kind, rendered
from tests.docs.test_the_metrics_are_documented import _wrong

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import kubernetes_validate

# KEDA's own objects, by the schemas of its version 2.16 as the package cloudcoil-models-keda (Apache-2.0) has them, closed
# against fields that they do not know.
KEDA = {
    kind: json.loads((Path(__file__).parent / f"keda/{kind}.json").read_text())
    for kind in ("ScaledObject", "TriggerAuthentication")
}
TRIGGERS = {  # what KEDA's scalers cannot do without
    "cpu": {"value"},
    "prometheus": {"serverAddress", "query", "threshold"},
    "redis": {"address", "listName", "listLength"},
    "rabbitmq": {"protocol", "queueName", "mode", "value"},
}
FILE = re.compile(r"/run/secrets/antecedent/(\w+)")
MADE_BY_HAND = {"antecedent", "pgbouncer", "antecedent-backup"}
OPERATING = (ROOT / "docs/operating.md").read_text()
pytestmark = pytest.mark.parametrize("overlay", NAMES)


def _values(value: Any) -> Iterator[str]:
    """Every text in an object."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    elif isinstance(value, str):
        yield value


def _pods(overlay: str) -> list[dict[str, Any]]:
    return [pod["spec"] for one in rendered(overlay) if (pod := pod_of(one))]


def _referred(value: Any, *keys: str) -> set[str]:
    """The names that stand below any of the keys, wherever these are."""
    if isinstance(value, list):
        return {name for inner in value for name in _referred(inner, *keys)}
    if not isinstance(value, dict):
        return set()
    here = {value[key] if isinstance(value[key], str) else value[key]["name"] for key in keys if key in value}
    return here | _referred(list(value.values()), *keys)


def _chooses(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    """Whether a selector of a policy means pods with these labels; of expressions, only `In` is used here."""
    expressions = selector.get("matchExpressions", [])
    assert {one["operator"] for one in expressions} <= {"In"}
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        labels.get(one["key"]) in one["values"] for one in expressions
    )


def test_every_object_is_valid(overlay: str) -> None:
    for one in rendered(overlay):
        if one["kind"] in KEDA:
            jsonschema.validate(one, KEDA[one["kind"]])
        else:
            kubernetes_validate.validate(one, "1.34", strict=True)


def test_a_field_that_keda_does_not_know_would_be_found(overlay: str) -> None:
    for kind, schema in KEDA.items():
        for one in of_kind(overlay, kind).values():
            spec = {**one["spec"], "maxReplicas": 3}
            with pytest.raises(jsonschema.ValidationError, match="maxReplicas"):
                jsonschema.validate({**one, "spec": spec}, schema)


def test_no_object_is_there_twice_or_in_another_namespace(overlay: str) -> None:
    named = [(one["kind"], one["metadata"]["name"]) for one in rendered(overlay)]
    assert len(set(named)) == len(named)
    placed = {one["metadata"].get("namespace") for one in rendered(overlay) if one["kind"] != "Namespace"}
    assert placed == {"antecedent"}


def test_what_pods_refer_to_is_there(overlay: str) -> None:
    pods = _pods(overlay)
    configs = _referred(pods, "configMapRef", "configMap")
    assert configs and configs <= of_kind(overlay, "ConfigMap").keys()
    assert _referred(pods, "claimName") <= of_kind(overlay, "PersistentVolumeClaim").keys()
    assert {pod["serviceAccountName"] for pod in pods} <= of_kind(overlay, "ServiceAccount").keys() | {
        "default"
    }
    assert all("registry.example/antecedent:" in text for text in _values(pods) if "antecedent:" in text)


def test_secrets_that_somebody_has_to_make_are_described(overlay: str) -> None:
    referred = _referred(_pods(overlay), "secretName", "secretKeyRef")
    assert referred <= MADE_BY_HAND
    assert all(f"`{name}`" in OPERATING for name in referred)
    files = {file for text in map(str, rendered(overlay)) for file in FILE.findall(text)}
    keys = {
        target["key"]
        for auth in of_kind(overlay, "TriggerAuthentication").values()
        for target in auth["spec"]["secretTargetRef"]
    }
    assert "metrics_token" in files
    assert not {file for file in files | keys if f"`{file}`" not in OPERATING}


def test_budgets_policies_and_services_choose_pods_that_are_there(overlay: str) -> None:
    labels = [pod_of(one)["metadata"]["labels"] for one in rendered(overlay) if pod_of(one)]
    chosen = [one["spec"]["selector"] for one in of_kind(overlay, "PodDisruptionBudget").values()]
    chosen += [{"matchLabels": one["spec"]["selector"]} for one in of_kind(overlay, "Service").values()]
    chosen += [one["spec"]["podSelector"] for one in of_kind(overlay, "NetworkPolicy").values()]
    for selector in chosen:
        assert any(_chooses(selector, found) for found in labels), selector


def test_what_scales_is_there_and_can_be_asked(overlay: str) -> None:
    allowed = of_kind(overlay, "TriggerAuthentication")
    for scaled in of_kind(overlay, "ScaledObject").values():
        assert scaled["spec"]["scaleTargetRef"]["name"] in of_kind(overlay, "Deployment")
        assert scaled["spec"]["minReplicaCount"] < scaled["spec"]["maxReplicaCount"]
        for trigger in scaled["spec"]["triggers"]:
            assert TRIGGERS[trigger["type"]] <= trigger["metadata"].keys()
            assert all(isinstance(value, str) for value in trigger["metadata"].values())
            reference = trigger.get("authenticationRef")
            assert reference is None or reference["name"] in allowed
            query = trigger["metadata"].get("query")
            assert query is None or not _wrong(query), query


def test_web_and_workers_may_reach_a_collector(overlay: str) -> None:
    let_out = [
        policy["spec"]["podSelector"]
        for policy in of_kind(overlay, "NetworkPolicy").values()
        for rule in policy["spec"].get("egress", [])
        if 4318 in {port["port"] for port in rule.get("ports", [])}
    ]
    labels = {name: pod_of(one)["metadata"]["labels"] for name, one in of_kind(overlay, "Deployment").items()}
    for process in ("web", "worker"):
        assert any(_chooses(selector, labels[process]) for selector in let_out), process
    settings = next(one for name, one in of_kind(overlay, "ConfigMap").items() if name.startswith("settings"))
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in settings["data"]
    for process in ("web", "worker"):
        assert "OTEL_EXPORTER_OTLP_ENDPOINT" in compose()["services"][process]["environment"]
