"""Runs a program in a terminal of its own. On standard input: {"argv", "env", "rows", "columns", "steps"}; a step is
{"wait": text} (until the screen shows it), {"send": keys}, {"size": [rows, columns]} or {"signal": number}.
On standard output: {"code", "raw", "screen", "cooked"}."""

import fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

CONTROL = re.compile(r"\x1b\[([?>=]?)([\d;]*)([@-~])|\x1b[()][A-Z0-9]|\x1b.")


class Screen:
    """Knows what the inbox uses: move, clear, print."""

    def __init__(self, rows, columns):
        self.cells, self.row, self.column = {}, 0, 0

    def feed(self, text):
        at = 0
        while at < len(text):
            found = CONTROL.match(text, at)
            if found:
                self.control(found)
                at = found.end()
                continue
            letter, at = text[at], at + 1
            if letter == "\n":
                self.row += 1
            elif letter == "\r":
                self.column = 0
            elif letter >= " ":
                self.cells[self.row, self.column] = letter
                self.column += 1

    def control(self, found):
        private, numbers, name = found.group(1), found.group(2) or "", found.group(3)
        if name == "H":
            row, column = ([int(n or 1) for n in numbers.split(";")] + [1, 1])[:2] if numbers else (1, 1)
            self.row, self.column = row - 1, column - 1
        elif name == "J" or (private == "?" and numbers == "1049"):
            self.cells = {}

    def text(self):
        lines = {}
        for (row, column), letter in sorted(self.cells.items()):
            line = lines.get(row, "")
            lines[row] = line + " " * (column - len(line)) + letter
        return "\n".join(lines.get(n, "").rstrip() for n in range(max(lines, default=-1) + 1))


def main():
    job = json.load(sys.stdin)
    child, master = pty.fork()
    if child == 0:
        size(0, job["rows"], job["columns"])
        os.execve(job["argv"][0], job["argv"], job["env"])
    size(master, job["rows"], job["columns"])
    screen, raw = Screen(job["rows"], job["columns"]), []
    for step in job["steps"]:
        if "send" in step:
            os.write(master, step["send"].encode())
        elif "size" in step:
            size(master, *step["size"])
            os.kill(child, signal.SIGWINCH)
        elif "signal" in step:
            os.kill(child, step["signal"])
        elif not until(master, screen, raw, lambda: step["wait"] in screen.text()):
            os.kill(child, signal.SIGKILL)
            sys.exit(f"never saw {step['wait']!r} on\n{screen.text()}")
    until(master, screen, raw, lambda: False)
    try:
        cooked = bool(termios.tcgetattr(master)[3] & termios.ICANON)
    except termios.error:
        cooked = None
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    json.dump({"code": code, "raw": "".join(raw), "screen": screen.text(), "cooked": cooked}, sys.stdout)


def size(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def until(master, screen, raw, enough):
    """Reads until there is enough; False at the end or after a while."""
    end = time.monotonic() + 30
    while not enough():
        ready, _, _ = select.select([master], [], [], max(0, end - time.monotonic()))
        try:
            data = os.read(master, 65536) if ready else b""
        except OSError:
            data = b""
        if not data:
            return False
        text = data.decode(errors="replace")
        raw.append(text)
        screen.feed(text)
    return True


main()
