#!/usr/bin/env python3
"""What the self-test tries on Windows is what the documents list, and all of it is printed.

usage: claims_test.py REPOSITORY
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
CODE = (ROOT / "src/windows/claims.cpp").read_text()
TRIED = re.findall(r'tried\(\s*"([^"]+)"', CODE)


def listed(document, start):
    """The names in backquotes of the paragraph or row that begins so."""
    line = next(
        part for part in re.split(r"\n\n|\n(?=\|)", (ROOT / document).read_text()) if start in part
    )
    return re.findall(r"`([^`]+)`", line[line.index(start) + len(start) :])


def returned():
    """Those of the list that claims_about_system() returns, which the self-test prints."""
    body = CODE[CODE.index("std::vector<Claim> claims_about_system()") :]
    return re.findall(r'tried\(\s*"([^"]+)"', body)


lists = {
    "src/windows/claims.cpp": returned(),
    "docs/windows.md": listed("docs/windows.md", "(selftest.md)")[0:],
    "docs/selftest.md": listed("docs/selftest.md", "| on Windows ")[: len(TRIED)],
    "tests/windows/windows_test.py": re.findall(
        r'"([^"]+)"',
        re.search(
            r"of_windows = \(([^)]*)\)", (ROOT / "tests/windows/windows_test.py").read_text()
        )[1],
    ),
}
failures = [
    f"{place}: {names} instead of {TRIED}" for place, names in lists.items() if names != TRIED
]
if (
    "claims_about_system(), check_of_claim"
    not in (ROOT / "src/commands/list/selftest.cpp").read_text()
):
    failures.append("the self-test does not print the claims")
for failure in failures:
    print("FAILED", failure)
print(f"{len(TRIED)} claims, {len(failures)} failures")
sys.exit(1 if failures or not TRIED else 0)
