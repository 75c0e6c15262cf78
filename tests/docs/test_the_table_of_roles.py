"""docs/members.md holds the table of roles as the code has it."""

from __future__ import annotations

from pathlib import Path

from tenants.role_words import MEANING, ROLE_NOTES, role_table_markdown
from tenants.roles import ROLES, May

DOC = Path(__file__).parents[2] / "docs/members.md"


def test_it_is_the_one_in_force():
    assert role_table_markdown() in DOC.read_text()


def test_everything_that_a_role_may_do_has_words():
    assert set(MEANING) == set(May) and set(ROLE_NOTES) == set(ROLES)


def test_every_error_of_members_and_signing_in_is_explained():
    text = DOC.read_text()
    from tenants import errors
    from tenants.sign_in import openid

    mine = (
        "Invitation",
        "SignIn",
        "TwoFactor",
        "TooManyAttempts",
        "RoleForbids",
        "Owner",
        "LastOwner",
        "Already",
        "Issuer",
    )
    found = [*vars(errors).values(), *vars(openid).values()]
    codes = {
        one.code
        for one in found
        if isinstance(one, type) and one.__name__.startswith(mine) and hasattr(one, "code")
    }
    assert len(codes) > 15 and not {code for code in codes - {"sign_in_required"} if f"`{code}`" not in text}
