"""Questions that people have, with the answer that is right: every line of questions.jsonl, put to the program.

A line: "ask", the arguments of `rnncheck matrix`; "expect", any of "verdict" and "rules" (those with an error or a
warning) of a check, "exit", "says" and "not_says", words of the answer; "source", where the right answer stands.
"""

import json
import pathlib
import subprocess
import sys
import unittest

RNNCHECK = sys.argv.pop(1)
QUESTIONS = pathlib.Path(__file__).with_name("questions.jsonl")


def words_of(value):
    if isinstance(value, dict):
        return " ".join(words_of(item) for item in value.values())
    if isinstance(value, list):
        return " ".join(words_of(item) for item in value)
    return str(value)


def answer_to(arguments):
    run = subprocess.run(
        [RNNCHECK, "matrix", *arguments, "--json"], capture_output=True, text=True, timeout=60
    )
    if run.returncode not in (0, 1, 3, 4):
        return run.returncode, {}, run.stderr
    document = json.loads(run.stdout)
    reported = {name: document[name] for name in document if name not in ("facts", "tool", "verdicts")}
    decided = [item for item in document.get("verdicts", []) if not item.get("not_evaluated")]
    return run.returncode, document, words_of([reported, decided])


def differences(question):
    expected = question["expect"]
    code, document, words = answer_to(question["ask"])
    wrong = []
    if "exit" in expected and code != expected["exit"]:
        wrong.append(f"exit {code}")
    if "verdict" in expected and document.get("verdict") != expected["verdict"]:
        wrong.append(f"verdict {document.get('verdict')}")
    if "rules" in expected:
        rules = [
            item["rule"] for item in document.get("findings", []) if item["severity"] != "note"
        ]
        if sorted(set(rules)) != sorted(expected["rules"]):
            wrong.append(f"rules {rules}")
    wrong += [f"does not show '{text}'" for text in expected.get("says", []) if text not in words]
    wrong += [f"shows '{text}'" for text in expected.get("not_says", []) if text in words]
    return wrong, words


class Questions(unittest.TestCase):
    def test_every_question(self):
        for line in QUESTIONS.read_text().splitlines():
            question = json.loads(line)
            with self.subTest(ask=question["ask"]):
                self.assertTrue(question["source"].startswith("https://"))
                wrong, words = differences(question)
                self.assertEqual(wrong, [], words[:2000])


if __name__ == "__main__":
    unittest.main()
