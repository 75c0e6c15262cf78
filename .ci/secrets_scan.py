"""Looks for keys and passwords in files; those of `.ci/secrets.json` were looked at and are none.

A file is read line by line, which is slow, only where some pattern of the detectors is in it at all. Ends with 1 where
something was found. Usage: secrets_scan.py FILE ...
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from detect_secrets.core import baseline
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.core.secrets_collection import SecretsCollection
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.keyword import DENYLIST, KeywordDetector
from detect_secrets.pre_commit_hook import pretty_print_diagnostics

SECRET_NAMES = re.compile("|".join(DENYLIST), re.IGNORECASE)
KNOWN = Path(__file__).with_name("secrets.json")


def key_shapes() -> Iterator[re.Pattern[str]]:
    """What known kinds of keys look like, for a text of many lines."""
    for detector in get_mapping_from_secret_type_to_class().values():
        if issubclass(detector, RegexBasedDetector):
            for shape in detector().denylist:
                yield re.compile(shape.pattern, shape.flags | re.MULTILINE)


def worth_reading(name: str, shapes: Sequence[re.Pattern[str]]) -> bool:
    text = Path(name).read_bytes().decode("utf-8", "replace")
    return names_a_secret(name, text) or any(shape.search(text) for shape in shapes)


def names_a_secret(name: str, text: str) -> bool:
    """Whether a line gives something a value that is called as secrets are."""
    detector = KeywordDetector()
    lines = {line.rstrip() for line in text.splitlines() if SECRET_NAMES.search(line)}
    return any(detector.analyze_line(filename=name, line=line) for line in lines)


def main(names: Sequence[str]) -> int:
    known = baseline.load(baseline.load_from_file(str(KNOWN)))
    shapes = list(key_shapes())
    found = SecretsCollection()
    found.scan_files(*(name for name in names if Path(name).is_file() and worth_reading(name, shapes)))
    fresh = found - known
    if fresh:
        pretty_print_diagnostics(fresh)
    return int(bool(fresh))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
