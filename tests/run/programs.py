"""Programs that `rnncheck run` must not change, each with what a person does at the terminal while it runs."""

import sys

PYTHON = sys.executable


def python(text):
    return [PYTHON, "-c", text]


def shell(text):
    return ["bash", "-c", text]


TQDM = """import sys, time
for i in range(101):
    sys.stderr.write(f"\\rtrain: {i:3}%|{'#' * (i // 10):10}| {i}/100"); sys.stderr.flush()
    if i % 10 == 0: time.sleep(0.01)
sys.stderr.write("\\n"); print("loss 0.25")"""

STATUS = "grep -E '^(SigBlk|SigIgn|SigCgt|Cap|NoNewPrivs|Threads)' /proc/self/status"

# Without a person. Each runs on a terminal, with pipes, with files, and with both together.
PLAIN = {
    "echo": ["echo", "hello"],
    "no line end": ["printf", "no line end"],
    "nothing": ["true"],
    "empty arguments": ["printf", "%s|", "", "a b", "--", "-q", "[1,2]", "\n"],
    "numbers": ["seq", "20000"],
    "colours": ["printf", "\\033[31mred\\033[0m\\t\\a\\r\\n"],
    "list": ["ls", "--color=auto", "/usr"],
    "grep": shell("printf 'one\\ntwo\\n' | grep --color=auto t"),
    "utf-8": ["echo", "Größe 漢字 🙂"],
    "binary": python(
        "import os, sys, random; random.seed(7); sys.stdout.buffer.write(random.randbytes(300000))"
    ),
    "zeros": ["head", "-c", "100000", "/dev/zero"],
    "long line": python("print('x' * 1000000)"),
    "both streams": shell("for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done"),
    "stderr only": shell("echo problem >&2; exit 1"),
    "buffered python": python(
        "import sys; print('out'); print('err', file=sys.stderr); print('out again')"
    ),
    "tqdm": python(TQDM),
    "traceback": python("import nothing_of_this_name"),
    "exit 0": shell("exit 0"),
    "exit 1": shell("exit 1"),
    "exit 3": shell("exit 3"),
    "exit 125": shell("exit 125"),
    "exit 255": shell("exit 255"),
    "segmentation fault": shell("ulimit -c 0; kill -SEGV $$"),
    "abort": shell("ulimit -c 0; echo before; kill -ABRT $$"),
    "killed": shell("kill -KILL $$"),
    "terminated": shell("kill -TERM $$"),
    "user signal": shell("kill -USR1 $$"),
    "hang up": shell("kill -HUP $$"),
    "interrupt": shell("kill -INT $$"),
    "own group": shell(
        "trap 'echo caught; exit 7' TERM; echo ready; (sleep 0.1; kill -TERM $$) & wait; wait"
    ),
    "is a terminal": python("import os; print([os.isatty(i) for i in range(3)])"),
    "size": python(
        "import os\nfor i in 1, 2:\n  try: print(os.get_terminal_size(i))\n  except OSError: print('none')"
    ),
    "signals": shell(STATUS),
    "limits": shell("ulimit -a"),
    "descriptors": python(
        "import os; print(sorted(int(i) for i in os.listdir('/proc/self/fd'))[:-1])"
    ),
    "environment": shell("env | grep -v -e ^_= | sort | md5sum"),
    "directory": ["pwd"],
    "umask": shell("umask"),
    "nice": ["nice"],
    "arguments": shell("tr '\\0' ' ' < /proc/self/cmdline"),
    "timeout": ["timeout", "0.2", "sleep", "9"],
    "nohup": shell("nohup sh -c 'echo from nohup' 2>&1"),
    "xargs": shell("seq 40 | xargs -P 4 -n 1 echo | sort -n"),
    "subshells": shell("for i in 1 2 3; do (exit $i); echo $?; done"),
    "pipeline": shell("seq 100000 | sort -rn | head -3"),
    "many processes": shell("for i in $(seq 60); do sleep 0.05 & done; wait; echo all"),
    "zombies": python(
        "import os, time\nfor i in range(20):\n  if os.fork() == 0: os._exit(0)\ntime.sleep(0.1); print('ok')"
    ),
    "threads": python(
        "import threading\nt = [threading.Thread(target=print, args=('t',)) for i in range(8)]\n[(x.start(), x.join()) for x in t]"
    ),
    "multiprocessing": python(
        "import multiprocessing as m\nif __name__ == '__main__':\n  with m.get_context('fork').Pool(3) as p: print(sum(p.map(abs, range(-50, 50))))"
    ),
    "standard input": shell("echo ready; cat; echo end"),
    "closed streams": shell("exec 1>&- 2>&-; echo nobody; exit 4"),
    "dev tty": shell("echo to the terminal > /dev/tty; true"),
    "dev stdout": shell("echo to stdout > /dev/stdout; echo to stderr > /dev/stderr"),
    "sleep": ["sleep", "0.05"],
    "awk": ["awk", 'BEGIN { printf "%.3f\\n", atan2(0, -1) }'],
    "dd": shell("dd if=/dev/zero bs=4096 count=50 2>/dev/null | md5sum"),
    "git": ["git", "--version"],
    "perl": ["perl", "-e", '$| = 1; print "p$_\\n" for 1 .. 5; die "end\\n"'],
}

CURSES = """import curses
def main(screen):
    curses.curs_set(0); screen.addstr(2, 3, "menu"); screen.refresh(); key = screen.getkey()
    screen.addstr(3, 3, "key " + key); screen.refresh(); screen.getkey()
curses.wrapper(main)"""

RESIZED = """import os, signal
got = []
signal.signal(signal.SIGWINCH, lambda *_: got.append(os.get_terminal_size()))
print("ready", flush=True)
while len(got) < 1: signal.pause()
print(tuple(got[0]), flush=True)
while len(got) < 2: signal.pause()
print(tuple(got[1]))"""

KEYS = """import sys, termios, tty
old = termios.tcgetattr(0); tty.setraw(0); sys.stdout.write("ready\\r\\n"); sys.stdout.flush()
for i in range(5): sys.stdout.write(repr(sys.stdin.read(1)) + "\\r\\n"); sys.stdout.flush()
termios.tcsetattr(0, termios.TCSADRAIN, old)"""

# With a person: what is waited for, and then typed; ("size", rows, columns) resizes the window.
TYPED = {
    "input()": (python("name = input('name? '); print('hello', name)"), [(b"name? ", b"Ada\n")]),
    "getpass": (
        python("import getpass; print(len(getpass.getpass('secret? ')))"),
        [(b"secret? ", b"12345\n")],
    ),
    "cat": (
        shell("echo ready; cat"),
        [(b"ready\r\n", b"one\n"), (b"one\r\none\r\n", b"two\n\x04")],
    ),
    "line editing": (
        shell("echo ready; cat"),
        [(b"ready\r\n", b"abx\x7fc\n"), (b"abc\r\n", b"\x04")],
    ),
    "read": (shell("read -p 'key? ' -n 1 key; echo; echo got $key"), [(b"key? ", b"y")]),
    "select": (
        shell("PS3='which? '; select x in a b; do echo chose $x; break; done"),
        [(b"which? ", b"2\n")],
    ),
    "keys": (python(KEYS), [(b"ready\r\n", b"a\x03\x1a\x04\r")]),
    "interrupt": (
        python(
            "import time\ntry:\n  print('ready', flush=True); time.sleep(50)\nexcept KeyboardInterrupt: print('interrupted')"
        ),
        [(b"ready\r\n", b"\x03")],
    ),
    "interrupt sleep": (shell("echo ready; exec sleep 50"), [(b"ready\r\n", b"\x03")]),
    "interrupt a shell": (
        shell("echo ready; sleep 50; echo not reached"),
        [(b"ready\r\n", b"\x03")],
    ),
    "ignored interrupt": (
        shell("trap '' INT; echo ready; read x; echo got $x"),
        [(b"ready\r\n", b"\x03"), (b"^C", b"x\n")],
    ),
    "quit": (shell("ulimit -c 0; echo ready; exec sleep 50"), [(b"ready\r\n", b"\x1c")]),
    "resize": (
        python(RESIZED),
        [(b"ready\r\n", ("size", 40, 132)), (b"(132, 40)", ("size", 10, 20))],
    ),
    "less": (shell("seq 500 | less"), [(b"\r\n23\r\n", b"G"), (b"500", b"?250\n"), (b"250", b"q")]),
    "less file": (["less", __file__], [(b"Programs that", b"q")]),
    "vim": (
        shell("cd $(mktemp -d); vim -u NONE -i NONE -n -c 'set nomore' file; cat file; rm file"),
        [(b"\x1b[?25h", b"ihello\x1b:wq\r")],
    ),
    "curses": (python(CURSES), [(b"menu", b"k"), (b"key k", b"q")]),
    "python prompt": (
        [PYTHON, "-q", "-i", "-c", "import sys; sys.ps1 = 'P> '"],
        [(b"P> ", b"6 * 7\n"), (b"42\r\nP> ", b"\x04")],
    ),
    "bash": (
        ["bash", "--norc", "--noprofile", "--noediting", "-i"],
        [(b"$ ", b"PS1=P:\n"), (b"\r\nP:", b"echo $((6*7))\n"), (b"42\r\nP:", b"exit 5\n")],
    ),
    "modes": (shell("stty -a"), []),
    "modes kept": (shell("stty -echo; echo off"), []),
    "tput": (shell("tput cols; tput lines"), []),
    "long paste": (
        python(
            "import sys; print('ready', flush=True); print(sum(len(line) for line in sys.stdin))"
        ),
        [(b"ready\r\n", b"".join(b"%03d" % i + b"x" * 90 + b"\n" for i in range(30)) + b"\x04")],
    ),
}
