"""A failing test shows the cause that rnncheck finds in its output. Copy it beside your tests; needs the rnncheck wheel.

`rnncheck run -- pytest` explains a test run that ends as a whole, for example with a segmentation fault.
"""

import pytest
import rnncheck


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if not report.failed:
        return
    text = "\n".join([*(content for _, content in report.sections), report.longreprtext])
    found = rnncheck.diagnose(text)
    if found.findings:
        report.sections.append(("rnncheck", str(found)))
