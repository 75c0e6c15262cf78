"""An audience of thousands is shown page by page and searched, at the same cost."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from admin_ui.selectors.access import MEMBERS_SHOWN
from tenants.models import EndUser, EndUserAudience
from tenants.services import audience_create
from tests.api.programs import Program, key_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def partners(scoped):
    return audience_create(name="Partners")


def join(audience, names):
    for name in names:
        person = EndUser.objects.create(subject=f"id:{name.lower()}", name=name)
        EndUserAudience.objects.create(audience=audience, end_user=person)


def names_on(page: str) -> list[str]:
    return re.findall(r'aria-label="Take (\w+) out"', page)


def test_everybody_is_on_one_page_once_in_the_order_of_names(scoped, browser, partners):
    everybody = [f"Person{n:03}" for n in range(2 * MEMBERS_SHOWN + 5)]
    join(partners, reversed(everybody))
    owner, address, seen = browser(scoped, "owner"), f"access/audiences/{partners.pk}/", []
    following = ""
    for _ in range(3):
        page = owner.get(address + following).content.decode()
        seen += names_on(page)
        found = re.search(r'rel="next" href="([^"#]+)#', page)
        following = found[1].replace("&amp;", "&") if found else ""
    assert seen == everybody and not following
    assert 'rel="first"' in page and f"{len(everybody)}</span>" in page


def test_whoever_has_left_meanwhile_does_not_break_the_way_on(scoped, browser, partners):
    join(partners, ["Ann", "Bea"])
    gone = EndUser.objects.get(name="Ann")
    EndUserAudience.objects.filter(end_user=gone).delete()
    owner = browser(scoped, "owner")
    for after in (gone.pk, "x", ""):
        page = owner.get(f"access/audiences/{partners.pk}/?after={after}").content.decode()
        assert names_on(page) == ["Bea"]


def test_somebody_is_found_by_a_part_of_their_name_or_subject(scoped, browser, partners):
    join(partners, [f"Person{n:03}" for n in range(MEMBERS_SHOWN + 1)])
    owner, address = browser(scoped, "owner"), f"access/audiences/{partners.pk}/"
    assert names_on(owner.get(f"{address}?q=person047").content.decode()) == ["Person047"]
    assert "Nobody like this is in it." in owner.get(f"{address}?q=zzz").content.decode()


def test_more_people_cost_no_more_queries_in_the_console_or_over_rest(scoped, browser, partners):
    owner, program = browser(scoped, "owner"), Program(key_of(scoped))
    addresses = {
        f"access/audiences/{partners.pk}/": owner.get,
        f"/api/v1/audiences/{partners.pk}/end-users": lambda path: program("GET", path),
        "/api/v1/end-users": lambda path: program("GET", path),
    }
    costs = []
    for start, end in ((0, 3), (3, 40)):
        join(partners, [f"Person{n:03}" for n in range(start, end)])
        for address, get in addresses.items():
            get(address)
            with CaptureQueriesContext(connection) as asked:
                assert get(address).status_code == 200
            costs.append(len(asked))
    assert costs[:3] == costs[3:]
    people = program("GET", "/api/v1/end-users").json()["items"]
    told = {person["name"]: person["audiences"] for person in people}
    assert told["Person007"] == ["partners"] and len(told) >= 40
