"""python -m rnncheck: becomes the program that the wheel installed."""

import os
import subprocess
import sys
from importlib.metadata import files

name = "rnncheck.exe" if os.name == "nt" else "rnncheck"
program = str(
    next(
        file
        for file in files("rnncheck")
        if file.name == name and file.parts[-2].lower() in ("bin", "scripts")
    ).locate()
)
os.environ["RNNCHECK_PYTHON"] = sys.executable or sys.prefix  # `doctor` examines this Python
if os.name == "nt":  # where a program that becomes another one ends for the shell that waits for it
    sys.exit(subprocess.call([program, *sys.argv[1:]]))
os.execv(program, [program, *sys.argv[1:]])
