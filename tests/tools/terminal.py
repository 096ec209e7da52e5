"""A program on a terminal of the tests' own, for the tests of bars that show progress."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios


def environment():
    kept = {name: value for name, value in os.environ.items() if name != "CI"}
    return {**kept, "TERM": "xterm"}


def on_a_terminal(command, columns=100, interrupt_at=None):
    """(what was written, exit status); the terminal's Ctrl-C once `interrupt_at` was written."""
    main, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def lead():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environment(),
                          preexec_fn=lead) as process:
        os.close(child)
        written = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:  # Linux's end of a terminal whose program has gone
                break
            written += piece
            if interrupt_at and interrupt_at.encode() in written:
                interrupt_at = None
                os.killpg(process.pid, signal.SIGINT)
    os.close(main)
    return written.decode().replace("\r\n", "\n"), process.returncode


def left_on_the_screen(written):
    """Of each line what follows its last erasure."""
    return "\n".join(line.rsplit("\x1b[K", 1)[-1] for line in written.split("\n"))
