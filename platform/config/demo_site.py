"""The demonstration's customers: two companies' own web pages, on a port and so an origin of their own.

Run by `manage.py up --seed demo` as `python -m config.demo_site`. Each page embeds the widget by one script tag, as a
customer's would, and signs its visitors' identities with the customer's own secret. Knows no Django.
"""

from __future__ import annotations

import json
import os
import sys
import time
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt

PAGES = Path(__file__).resolve().parents[2] / "demo" / "pages"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
COMPANIES = ("harbor", "nimbus")
# Who can be signed in on the pages: their audiences decide which documents answer.
PEOPLE = {
    "harbor": {"maeve": ("Maeve Collins", ["Grove members"]), "hugo": ("Hugo Salt", ["Trade customers"])},
    "nimbus": {
        "katrin": ("Katrin Vogel", ["Enterprise customers"]),
        "tom": ("Tom Hughes", ["Standard customers"]),
    },
}
IDENTITY_SECONDS = 300


class Site(BaseHTTPRequestHandler):
    """`/<company>/`, its files, and `/<company>/identity/<person>`, where its server vouches for who is signed in."""

    platform = ""
    state: Path

    def do_GET(self) -> None:
        parts = [part for part in self.path.split("?")[0].split("/") if part]
        if not parts:
            self._answer(302, b"", {"Location": f"/{COMPANIES[0]}/"})
        elif parts[0] in COMPANIES and len(parts) == 1:
            self._page(parts[0])
        elif parts[0] in COMPANIES and parts[1] == "identity" and len(parts) == 3:
            self._identity(parts[0], parts[2])
        else:
            self._file("/".join(parts))

    def _page(self, company: str) -> None:
        known = self._known(company)
        text = (PAGES / company / "index.html").read_text(encoding="utf-8")
        for name, value in {"platform": self.platform, "key": known.get("key", "")}.items():
            text = text.replace(f"{{{{ {name} }}}}", escape(value))
        self._answer(200, text.encode(), {"Content-Type": TYPES[".html"]})

    def _identity(self, company: str, person: str) -> None:
        known, described = self._known(company), PEOPLE[company].get(person)
        if described is None or not known:
            self._answer(404, b"", {})
            return
        moment, (name, audiences) = int(time.time()), described
        claims = {
            "sub": person,
            "aud": company,
            "iat": moment,
            "exp": moment + IDENTITY_SECONDS,
            "name": name,
            "audiences": audiences,
        }
        token = jwt.encode(claims, known["secret"], algorithm="HS256", headers={"kid": known["kid"]})
        self._answer(200, token.encode(), {"Content-Type": "text/plain"})

    def _file(self, name: str) -> None:
        path = (PAGES / name).resolve()
        if not path.is_relative_to(PAGES) or not path.is_file() or path.suffix not in TYPES:
            self._answer(404, b"There is no such page.", {"Content-Type": "text/plain"})
            return
        self._answer(200, path.read_bytes(), {"Content-Type": TYPES[path.suffix]})

    def _known(self, company: str) -> dict[str, Any]:
        """What the demonstration data gave this company; nothing before it is loaded."""
        try:
            known: dict[str, Any] = json.loads((self.state / "demo-site.json").read_text())
        except (OSError, ValueError):
            return {}
        found: dict[str, Any] = known.get(company, {})
        return found

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        policy = f"default-src 'self'; script-src 'self' {self.platform}; frame-src {self.platform}; style-src 'self'"
        for name, value in {
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            **headers,
        }.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: it shares the terminal with the platform."""


def main(host: str, port: str) -> None:
    Site.platform = os.environ["ANTECEDENT_URL"]
    Site.state = Path(os.environ["ANTECEDENT_STATE"])
    ThreadingHTTPServer((host, int(port)), Site).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
