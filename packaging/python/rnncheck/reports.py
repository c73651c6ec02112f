"""What rnncheck reports, as objects that a notebook can show."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remedy:
    """What to do about a finding."""

    text: str
    commands: tuple[str, ...]
    verify: str  #: the command that shows that it helped
    link: str


@dataclass(frozen=True)
class Finding:
    """One fault, or one possible cause of a failure."""

    rule: str  #: `rnncheck explain RULE` shows its documentation
    title: str
    severity: str  #: error, warning or note
    confidence: str  #: certain, likely or possible
    message: str
    evidence: tuple[str, ...]
    remedies: tuple[Remedy, ...]


def _finding(entry: dict[str, Any]) -> Finding:
    evidence = tuple(f"{one['what']}: {one['value']}" for one in entry.get("evidence", []))
    remedies = tuple(
        Remedy(
            one["text"], tuple(one.get("commands", [])), one.get("verify", ""), one.get("link", "")
        )
        for one in entry.get("remedies", [])
    )
    return Finding(
        entry["rule"],
        entry["title"],
        entry["severity"],
        entry["confidence"],
        entry["message"],
        evidence,
        remedies,
    )


class Report:
    """A report of `doctor` or `diagnose`. `document` is the JSON document as rnncheck printed it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.verdict: str = document["verdict"]  #: healthy, warnings, problems or undetermined
        self.sentence: str = document["sentence"]
        self.findings: tuple[Finding, ...] = tuple(
            _finding(entry) for entry in document["findings"]
        )

    @property
    def cause(self) -> Finding | None:
        """The first finding: the lowest fault of a machine, or the most likely cause of a failure."""
        return self.findings[0] if self.findings else None

    def __bool__(self) -> bool:
        """Whether nothing was found that keeps recurrent networks from working."""
        return self.verdict in ("healthy", "warnings")

    def __repr__(self) -> str:
        return "\n".join(
            [f"rnncheck: {self.sentence}"]
            + [f"- {one.title} ({one.rule}): {one.message}" for one in self.findings]
        )

    def _repr_markdown_(self) -> str:
        lines = [f"**rnncheck: {_plain(self.sentence)}**", ""]
        for one in self.findings:
            lines.append(
                f"- **{_plain(one.title)}** (`{one.rule}`, {one.severity}, {one.confidence}): {_plain(one.message)}"
            )
            for remedy in one.remedies[:1]:
                lines.append(f"  - {_plain(remedy.text)}")
                lines += [f"    - {_code(command)}" for command in remedy.commands]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        text = f"<p><b>rnncheck: {html.escape(self.sentence)}</b></p><ul>"
        for one in self.findings:
            text += f"<li><b>{html.escape(one.title)}</b> (<code>{html.escape(one.rule)}</code>, {one.severity}, {one.confidence}): {html.escape(one.message)}"
            for remedy in one.remedies[:1]:
                text += f"<br>{html.escape(remedy.text)}" + "".join(
                    f"<pre>{html.escape(command)}</pre>" for command in remedy.commands
                )
            text += "</li>"
        return text + "</ul>"


def _plain(text: str) -> str:
    """Text in which nothing is markup."""
    for character in "\\`*_[]<>":
        text = text.replace(character, "&lt;" if character == "<" else "\\" + character)
    return " ".join(text.split())


def _code(text: str) -> str:
    """A command as code, whatever backquotes it contains."""
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence} {' '.join(text.splitlines())} {fence}"


@dataclass(frozen=True)
class Layer:
    """A recurrent layer of a model."""

    name: str
    uses_cudnn: str  #: as rnncheck writes it, e.g. yes, no, depends or unknown
    document: dict[str, Any]


class Model:
    """Which recurrent layers of a model use cuDNN."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.verdict: str = document["verdict"]
        self.sentence: str = document["sentence"]
        self.layers: tuple[Layer, ...] = tuple(
            Layer(str(one.get("name", "")), str(one.get("cudnn", "unknown")), one)
            for one in document.get("layers", [])
        )

    def __repr__(self) -> str:
        return "\n".join(
            [f"rnncheck: {self.sentence}"]
            + [f"- {one.name}: {one.uses_cudnn}" for one in self.layers]
        )

    def _repr_markdown_(self) -> str:
        return "\n".join(
            [f"**rnncheck: {_plain(self.sentence)}**", ""]
            + [f"- {_plain(one.name)}: {_plain(one.uses_cudnn)}" for one in self.layers]
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<li>{html.escape(one.name)}: {html.escape(one.uses_cudnn)}</li>"
            for one in self.layers
        )
        return f"<p><b>rnncheck: {html.escape(self.sentence)}</b></p><ul>{rows}</ul>"


@dataclass(frozen=True)
class Run:
    """A command that has ended."""

    exit_code: int  #: negative: the signal that ended it
    output: str  #: what it and rnncheck printed
    report: Report | None  #: why it failed; None if it did not

    def _repr_markdown_(self) -> str:
        return self.report._repr_markdown_() if self.report else f"exit code {self.exit_code}"
