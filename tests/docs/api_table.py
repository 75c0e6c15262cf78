"""The table of docs/api.md, from the URL conf itself: `python -m tests.docs.api_table` writes it anew."""

from __future__ import annotations

from tests.docs.generated import Part

PART = Part("api", "endpoints")
written = PART.written


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


if __name__ == "__main__":
    PART.write(table)
