"""Says what a report of pip-audit is worth: a package that its source did not know was not checked, whatever pip-audit says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CLEAN, VULNERABLE, NOT_CHECKED = 0, 1, 3


def verdict(report: str) -> tuple[int, list[str]]:
    """The exit code and the lines to print."""
    try:
        found: list[dict[str, Any]] = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return NOT_CHECKED, ["NOT CHECKED: no source of advisories could be reached."]
    checked = [package for package in found if "skip_reason" not in package]
    skipped = sorted(package["name"] for package in found if "skip_reason" in package)
    if not checked:
        return NOT_CHECKED, [f"NOT CHECKED: the source of advisories knew none of {len(found)} packages."]
    lines = [
        f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version yet'}"
        for package in checked
        for hole in package["vulns"]
    ]
    code = VULNERABLE if lines else CLEAN
    lines.append(f"{len(checked)} packages checked, {len(lines)} known vulnerabilities.")
    return code, [*lines, f"NOT CHECKED: {', '.join(skipped)}"] if skipped else lines


if __name__ == "__main__":
    code, lines = verdict(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(code)
