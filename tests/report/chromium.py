"""Chromium without a window, driven through its DevTools pipe: https://chromedevtools.github.io/devtools-protocol/."""

import base64
import fcntl
import json
import os
import subprocess


class Chromium:
    """One page, which shows one file after the other."""

    def __init__(self, profile):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        theirs = [
            fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)
        ]  # beyond 3 and 4, which the pipe must be

        def connect():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        self.process = subprocess.Popen(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs_in, theirs_out, *theirs):
            os.close(end)
        self.input, self.output = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb", buffering=0)
        self.number, self.rest, self.session = 0, b"", None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        self.send("Page.enable")
        self.send("Page.setBypassCSP", enabled=True)  # for what the test runs in the page

    def next_message(self):
        while b"\0" not in self.rest:
            data = os.read(self.input.fileno(), 1 << 20)
            if not data:
                raise EOFError("Chromium ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        while (answer := self.next_message()).get("id") != self.number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def show(self, path):
        failure = self.send("Page.navigate", url=f"file://{path}").get("errorText")
        if failure:
            raise RuntimeError(f"{path}: {failure}")
        while self.next_message().get("method") != "Page.loadEventFired":
            pass

    def run(self, script):
        answer = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def set(self, width=1000, scheme="light", media="screen"):
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.send(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def picture(self, path):
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.session = None
        self.send("Browser.close")
        self.process.wait(timeout=20)
