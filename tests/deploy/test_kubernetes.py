"""The manifests are valid by Kubernetes' own schemas, closed by default, and set only what is documented."""

from __future__ import annotations

import re
import warnings

import pytest
import yaml

from tests.deploy.manifests import DEPLOY, KUBERNETES, compose, documented_settings, objects, pod_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import kubernetes_validate

OBJECTS = list(objects())
FOREIGN_KINDS = {"ScaledObject", "TriggerAuthentication"}  # KEDA's
PODS = [(doc["metadata"]["name"], pod_of(doc)) for _, doc in OBJECTS if pod_of(doc)]
names = lambda value: value if isinstance(value, str) else ""  # noqa: E731


def named(kind: str) -> dict[str, dict]:
    return {doc["metadata"]["name"]: doc for _, doc in OBJECTS if doc["kind"] == kind}


@pytest.mark.parametrize(
    "document",
    [doc for _, doc in OBJECTS if doc["kind"] not in FOREIGN_KINDS],
    ids=lambda doc: f"{doc['kind']}/{doc['metadata']['name']}",
)
def test_it_is_valid(document):
    kubernetes_validate.validate(document, "1.34", strict=True)


@pytest.mark.parametrize("path", sorted(KUBERNETES.rglob("kustomization.yaml")), ids=lambda p: p.parent.name)
def test_a_kustomization_refers_to_what_is_there(path):
    kustomization = yaml.safe_load(path.read_text())
    for resource in kustomization["resources"]:
        assert (path.parent / resource).exists(), resource
    listed = {name for name in kustomization["resources"] if name.endswith(".yaml")}
    assert listed == {file.name for file in path.parent.glob("*.yaml")} - {"kustomization.yaml"}
    for generator in kustomization.get("configMapGenerator", []):
        for file in [*generator.get("files", []), *generator.get("envs", [])]:
            assert (path.parent / file).exists(), file
        for literal in generator.get("literals", []):
            assert literal.partition("=")[0] in documented_settings()


@pytest.mark.parametrize(("name", "pod"), PODS, ids=names)
def test_a_pod_is_restricted(name, pod):
    spec = pod["spec"]
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    for container in spec["containers"]:
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"]


@pytest.mark.parametrize("name", named("Deployment"))
def test_a_deployment_is_probed_and_ends_in_time(name):
    container = pod_of(named("Deployment")[name])["spec"]["containers"][0]
    assert "livenessProbe" in container
    grace = pod_of(named("Deployment")[name])["spec"]["terminationGracePeriodSeconds"]
    variables = {item["name"]: item["value"] for item in container.get("env", [])}
    assert grace > int(variables.get("WORKER_DRAIN_SECONDS", 0))


def test_web_is_given_time_for_leaving_the_ingress_and_for_ending():
    spec = pod_of(named("Deployment")["web"])["spec"]
    pause = int(spec["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert spec["terminationGracePeriodSeconds"] > pause + 25


def test_only_one_clock_runs():
    beat = named("Deployment")["beat"]["spec"]
    assert beat["replicas"] == 1 and beat["strategy"] == {"type": "Recreate"}


def test_every_pod_has_its_labels_selected_and_its_budget():
    for name, deployment in named("Deployment").items():
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert name == "beat" or name in named("PodDisruptionBudget")


def test_nothing_is_reachable_unless_a_policy_says_so():
    nothing = named("NetworkPolicy")["nothing"]["spec"]
    assert nothing == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    pods = {pod["metadata"]["labels"]["app.kubernetes.io/name"] for _, pod in PODS}
    for name, policy in named("NetworkPolicy").items():
        selector = policy["spec"]["podSelector"]
        chosen = set(selector.get("matchLabels", {}).values())
        for expression in selector.get("matchExpressions", []):
            chosen |= set(expression["values"])
        assert chosen <= pods, name


@pytest.mark.parametrize("name", ["web", "worker"])
def test_prometheus_reaches_what_it_scrapes(name):
    scraped = yaml.safe_load((DEPLOY / "observability/scrape.yaml").read_text())["scrape_configs"]
    [port] = [found["port"] for job in scraped for found in job["dns_sd_configs"] if found["names"] == [name]]
    monitoring = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
    admitted = [
        allowed["port"]
        for policy in named("NetworkPolicy").values()
        if policy["spec"]["podSelector"].get("matchLabels") == {"app.kubernetes.io/name": name}
        for rule in policy["spec"].get("ingress", [])
        if monitoring in rule["from"]
        for allowed in rule["ports"]
    ]
    container = pod_of(named("Deployment")[name])["spec"]["containers"][0]
    assert port in admitted and port in {open_["containerPort"] for open_ in container["ports"]}


def test_somebody_may_ask_for_the_metrics():
    lines = (KUBERNETES / "base/settings.env").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    environments = [settings, compose()["services"]["worker"]["environment"]]
    assert all(found["METRICS_PORT"] == "9100" and found["METRICS_TOKEN_FILE"] for found in environments)


def test_settings_are_documented():
    lines = (KUBERNETES / "base/settings.env").read_text().splitlines()
    found = {line.partition("=")[0] for line in lines}
    for _, pod in PODS:
        for container in pod["spec"]["containers"]:
            if container["image"] == "antecedent":
                found |= {item["name"] for item in container.get("env", [])}
    assert found <= documented_settings()


def test_images_are_pinned():
    for name, pod in PODS:
        for container in pod["spec"]["containers"]:
            assert container["image"] == "antecedent" or re.search(r":[\w.-]*\d", container["image"]), name


def test_the_backup_is_the_script_that_is_described():
    copy = (KUBERNETES / "overlays/production/backup.sh").read_text()
    assert copy == (DEPLOY / "backup/backup.sh").read_text()


def test_what_scales_is_there():
    for name, scaled in named("ScaledObject").items():
        assert scaled["spec"]["scaleTargetRef"]["name"] in named("Deployment"), name
