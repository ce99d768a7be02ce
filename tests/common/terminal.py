# SPDX-License-Identifier: Apache-2.0
"""A command on a terminal of a given size."""
import fcntl, os, pty, struct, subprocess, termios


def shown(words, rows, columns, **how):
    """(what the terminal shows, the process that has ended). how: subprocess's arguments; what is not named there is
    the terminal."""
    fd, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    # no session of its own: the end of a session's leader hangs its terminal up, and what was not read yet is lost
    process = subprocess.Popen(words, **{"stdin": side, "stdout": side, "stderr": side, **how})
    os.close(side)
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    if process.stderr:
        process.stderr.read()
    process.wait()
    os.close(fd)
    return out.decode().replace("\r\n", "\n"), process
