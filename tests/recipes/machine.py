"""A simulated machine under the recipes: a program `rnncheck` that finds it healthy, damaged or undetermined."""

import os
import pathlib
import shutil
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from simulated_machine import SYSTEM, build_root, environment_of  # noqa: E402

DAMAGED = "cudnn_part_unreadable"
WRAPPER = """#!/bin/sh
# The first word of the file `modes` is what this call finds; the last one stays. A node may have a file of its own.
modes={work}/modes
[ ! -e "$modes.$SLURMD_NODENAME" ] || modes=$modes.$SLURMD_NODENAME
read -r mode rest <"$modes"
[ -z "$rest" ] || echo "$rest" >"$modes"
echo "$mode $*" >>{work}/calls
[ "$mode" != undetermined ] || set -- "$@" --no-run --require rnn_result_wrong
root={work}/roots/$mode
run() {{ env {environment} {program} "$@" --root="$root"; }}
case "{replay} $*" in
    replay*--output* | live*) run "$@"; exit ;;
esac
# The same call finds the same: it is made once.
kept=$root.$(echo "$*" | cksum | tr -d ' ')
if [ ! -e "$kept" ]; then run "$@" >"$kept"; echo $? >"$kept.code"; fi
cat "$kept"
exit "$(cat "$kept.code")"
"""


class Machine:
    def __init__(self, program, sim, work, replay="replay"):
        shutil.rmtree(work, ignore_errors=True)
        self.work, self.bin, self.program = work, work / "bin", work / "bin" / "rnncheck"
        roots = work / "roots"
        build_root({}, roots / "healthy", sim)
        build_root({}, roots / "damaged", sim)
        library = (roots / "damaged" / SYSTEM.lstrip("/") / "libcudnn_adv.so.9").resolve()
        library.write_bytes(library.read_bytes()[: library.stat().st_size // 2])
        (roots / "undetermined").symlink_to("healthy")
        self.bin.mkdir()
        variables = environment_of({}, "$root")
        environment = " ".join(f'{name}="{value}"' for name, value in variables.items())
        self.write(
            self.program,
            WRAPPER.format(work=work, environment=environment, program=program, replay=replay),
        )
        self.finds("healthy")

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
        return path

    def finds(self, modes, node=None):
        """What the next calls find, e.g. "damaged healthy": the first finds a problem, all others none."""
        path = self.work / (f"modes.{node}" if node else "modes")
        temporary = path.with_suffix(".new")
        temporary.write_text(modes + "\n")
        temporary.replace(path)
        (self.work / "calls").write_text("")

    def calls(self):
        return (self.work / "calls").read_text().splitlines()

    def installed(self, recipe, replaced=None):
        """The recipe's file with the places of this machine instead of the system's."""
        text = recipe.read_text()
        for old, new in {
            "/usr/bin/rnncheck": str(self.program),
            "/run/rnncheck": str(self.work / "state"),
            **(replaced or {}),
        }.items():
            text = text.replace(old, new)
        return self.write(self.work / recipe.parent.name / recipe.name, text)

    def environment(self, **more):
        return {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.work), **more}
