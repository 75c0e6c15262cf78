"""The table of docs/api.md, from the URL conf itself: `python -m tests.docs.api_table` writes it anew."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/api.md"
BEGIN, END = "<!-- endpoints -->", "<!-- end of endpoints -->"


def table() -> str:
    """Rows by tag: method and address, what it does, what it needs."""
    from drf_spectacular.generators import SchemaGenerator

    from tests.api.endpoints import endpoints

    described = SchemaGenerator(urlconf="config.api_urls").get_schema(request=None, public=True)["paths"]
    by_tag: dict[str, list[str]] = {}
    for endpoint in endpoints():
        told = described[endpoint.path][endpoint.method.lower()]
        needs = " or ".join(f"`{what}`" for what in endpoint.handler.allowed.any_of)
        row = f"| `{endpoint.method} {endpoint.path}` | {told['summary']} | {needs} |"
        by_tag.setdefault(told["tags"][0], []).append(row)
    return "\n\n".join(_section(tag, rows) for tag, rows in sorted(by_tag.items()))


def _section(tag: str, rows: list[str]) -> str:
    return "\n".join([f"**{tag}**", "", "| endpoint | does | needs |", "|---|---|---|", *rows])


def written() -> str:
    """What the page says now."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()


def write() -> None:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    import os
    import sys

    import django

    sys.path.insert(0, str(PAGE.parents[1] / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    write()
