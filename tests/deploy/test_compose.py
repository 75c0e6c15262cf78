"""The compose file refers only to what it defines, and sets only what is documented."""

from __future__ import annotations

import configparser
import re

import pytest

from tests.deploy.manifests import DEPLOY, compose, documented_settings

COMPOSE = compose()
SERVICES = COMPOSE["services"]
OURS = {name for name, service in SERVICES.items() if service["image"].startswith("antecedent:")}
LASTING = set(SERVICES) - {"bucket", "provision", "migrate"}


@pytest.mark.parametrize("name", SERVICES)
def test_its_image_is_pinned(name):
    tag = SERVICES[name]["image"].rpartition(":")[2]
    assert re.search(r"\d", tag) and tag != "latest"


@pytest.mark.parametrize("name", SERVICES)
def test_what_it_refers_to_is_defined(name):
    service = SERVICES[name]
    assert set(service.get("depends_on", {})) <= set(SERVICES)
    assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])
    assert set(service["networks"]) <= set(COMPOSE["networks"])
    assert {volume.split(":")[0] for volume in service.get("volumes", [])} <= set(COMPOSE["volumes"])
    for dependency, wish in service.get("depends_on", {}).items():
        healthy = wish["condition"] == "service_healthy"
        assert not healthy or "test" in SERVICES[dependency]["healthcheck"], dependency
        assert healthy or dependency not in LASTING, dependency


@pytest.mark.parametrize("name", SERVICES)
def test_each_file_it_reads_a_secret_from_is_mounted(name):
    service = SERVICES[name]
    mounted = {f"/run/secrets/{secret}" for secret in service.get("secrets", [])}
    read = {
        value for value in service.get("environment", {}).values() if str(value).startswith("/run/secrets/")
    }
    assert read <= mounted


@pytest.mark.parametrize("name", sorted(OURS))
def test_it_sets_only_documented_variables(name):
    assert set(SERVICES[name]["environment"]) <= documented_settings()


@pytest.mark.parametrize("name", sorted(OURS))
def test_it_has_no_rights_and_a_root_that_is_read_only(name):
    service = SERVICES[name]
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]


@pytest.mark.parametrize("name", sorted(LASTING))
def test_what_lasts_is_watched_and_limited(name):
    assert "test" in SERVICES[name]["healthcheck"]
    assert SERVICES[name]["deploy"]["resources"]["limits"]["memory"]


def test_no_secret_is_in_an_environment():
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            assert not re.search(r"(PASSWORD|SECRET_KEY|API_KEY|DATABASE_URL)$", name), name
            assert not re.search(r"://\w+:\w+@", str(value)), name


def test_the_superusers_password_is_with_the_database_and_its_provisioning_alone():
    secret = {"postgres_password", "provision_database_url"}
    assert {name for name, service in SERVICES.items() if secret & set(service.get("secrets", []))} == {
        "postgres",
        "provision",
    }


def test_every_secret_is_made_by_the_script():
    script = (DEPLOY / "secrets.sh").read_text()
    for secret in COMPOSE["secrets"]:
        assert re.search(rf"keep {secret}$|>{secret} ", script, re.M), secret


def test_a_process_is_given_longer_than_it_takes_to_end():
    drain = int(SERVICES["worker"]["environment"]["WORKER_DRAIN_SECONDS"])
    assert int(SERVICES["worker"]["stop_grace_period"].rstrip("s")) > drain
    assert int(SERVICES["web"]["stop_grace_period"].rstrip("s")) > 25


def test_the_pooler_pools_transactions_and_both_of_its_files_agree():
    files = [DEPLOY / "pgbouncer/pgbouncer.ini", DEPLOY / "kubernetes/base/pgbouncer.ini"]
    options = []
    for file in files:
        parser = configparser.ConfigParser(inline_comment_prefixes=(";",))
        parser.read(file)
        options.append({**parser["pgbouncer"], "auth_file": ""} | dict(parser["databases"]))
    assert options[0] == options[1]
    assert options[0]["pool_mode"] == "transaction" and int(options[0]["max_prepared_statements"]) > 100
