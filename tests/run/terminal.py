"""A person at a terminal: starts a program on a pseudo-terminal, types, resizes the window, and reads the screen."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

LONGEST = 60  # seconds until a test gives up


class Terminal:
    """`start` runs in the child and becomes the program; it gets the pseudo-terminal as its three streams."""

    def __init__(self, start, rows=24, columns=80):
        self.process, self.screen = pty.fork()
        if self.process == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                start()
            finally:
                os._exit(99)
        self.seen = b""
        self.status = None

    def resize(self, rows, columns):
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.screen, keys)

    def read(self, seconds):
        """False at the end of the output."""
        if not select.select([self.screen], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.screen, 1 << 16)
        except OSError:
            return False
        self.seen += got
        return bool(got)

    def wait_for(self, text, after=0):
        """Returns where the text ends on the screen."""
        end = time.monotonic() + LONGEST
        while text not in self.seen[after:]:
            if not self.read(0.2) or time.monotonic() > end:
                raise AssertionError(f"{text!r} was not seen in {self.seen[-2000:]!r}")
        return self.seen.index(text, after) + len(text)

    def has_ended(self):
        if self.status is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def finish(self):
        """Everything on the screen until nobody has the terminal any more, or the program has ended and is silent."""
        end = time.monotonic() + LONGEST
        while self.read(0.05):
            if self.has_ended():
                while self.read(0.2) and select.select([self.screen], [], [], 0.2)[0]:
                    pass
                break
            if time.monotonic() > end:
                os.kill(self.process, signal.SIGKILL)
                raise AssertionError(f"it did not end; on the screen: {self.seen[-2000:]!r}")
        while not self.has_ended():
            time.sleep(0.005)
        os.close(self.screen)
        return self.seen
