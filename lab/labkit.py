"""What drive, record and live share: clients, the scripted model, a clean home, the sample project.

In: a client name, a version, a scenario file. Out: a finished session in a home folder of our own.
Deliberately absent: anything of the caller's environment. A client sees a fixed PATH, its own HOME,
a dummy key and proxies that lead nowhere, so only loopback answers.
"""
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

LAB = Path(__file__).resolve().parent
LIMIT = float(os.environ.get("LIMIT", "120"))  # seconds per client run

# client: npm package, pinned version
CLIENTS = {
    "claude": ("@anthropic-ai/claude-code", "2.1.325"),
    "codex": ("@openai/codex", "0.166.0"),
    "opencode": ("opencode-ai", "1.18.33"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
}

NODE = {"gemini": 20}  # the oldest node a client runs on; a newer one comes with it where this machine's is older

QUIET = {
    "claude": {"ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
               "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1"},
    "codex": {"MOCK_KEY": "dummy"},
    "opencode": {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                 "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_SHARE": "1"},
    "gemini": {"GEMINI_API_KEY": "dummy", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
}

# Where a client learns the model's address, when not from its settings.
ADDRESS = {"claude": "ANTHROPIC_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}

# client: where in its home it finds what lab/configs has for it
SETTINGS = {"codex": ".codex", "opencode": ".config/opencode", "gemini": ".gemini"}

# client: where its transcripts are, below its home, and what they are called
TRANSCRIPTS = {
    "claude": (".claude/projects", "*.jsonl"),
    "codex": (".codex/sessions", "*.jsonl"),
    "opencode": (".local/share/opencode", "opencode*.db"),
    "gemini": (".gemini/tmp", "chats/**/*.json*"),
}

NOWHERE = "http://127.0.0.1:9"  # the discard port: a stray request fails at once instead of leaving the machine


class LabError(Exception):
    """Something the person running the lab can act on."""


def main(run):
    """Run a script's body; a LabError is one line on stderr, not a traceback."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that `with` blocks still close
    try:
        sys.exit(run(sys.argv[1:]))
    except LabError as err:
        sys.exit(f"{Path(sys.argv[0]).name}: {err}")
    except KeyboardInterrupt:
        sys.exit(130)


def split_client(spec):
    """`codex@0.145.0` -> ("codex", "0.145.0"); without a version, the pinned one."""
    client, _, version = spec.partition("@")
    if client not in CLIENTS:
        raise LabError(f"unknown client `{client}`; known: {', '.join(CLIENTS)}")
    return client, version or CLIENTS[client][1]


def cache():
    return Path(os.environ.get("UPTAKE_LAB_CACHE") or Path.home() / ".cache" / "uptake-lab")


def install(client, version, into=None):
    """Put one version of a client into its own folder, once; return its executable."""
    folder = Path(into or cache()) / f"{client}-{version}"
    binary = folder / "node_modules" / ".bin" / client
    if binary.exists():
        return binary.absolute()
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            raise LabError(f"`{tool}` is needed to install {client}, and is not on PATH")
    half = folder.with_name(f"{folder.name}.{os.getpid()}")  # renamed when whole: no half install is ever found
    half.mkdir(parents=True)
    try:
        (half / "package.json").write_text('{"private": true}\n')
        # Exact version: npm would quietly pick an old release whose `engines` fits the local node.
        packages = [f"{CLIENTS[client][0]}@{version}", *newer_node(client)]
        # Gemini CLI would build two native modules that it does without.
        quick = ["--ignore-scripts"] if client == "gemini" else []
        done = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--save-exact", *quick, *packages],
                              cwd=half, capture_output=True, text=True, timeout=900)
        if done.returncode:
            raise LabError(f"npm could not install {client} {version}:\n{done.stderr.strip()[-800:]}")
        try:
            half.rename(folder)
        except OSError:  # another run was faster
            if not binary.exists():
                raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return binary.absolute()


def newer_node(client):
    """The npm package with a node that this client runs on, unless the machine's own will do."""
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    if int(re.sub(r"v(\d+).*", r"\1", said.strip()) or 0) >= NODE.get(client, 0):
        return []
    arch = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return [f"node-{platform.system().lower()}-{arch}@22"]


def clean_path():
    """The system folders, plus wherever this machine keeps the tools that are not in them."""
    path = ["/usr/local/bin", "/usr/bin", "/bin"]
    for tool in ("node", "python3", "git", "make"):
        if not shutil.which(tool, path=":".join(path)) and shutil.which(tool):
            path.append(str(Path(shutil.which(tool)).parent))
    return ":".join(path)


def clean_env(home, **more):
    return {"PATH": clean_path(), "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8",
            "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "ALL_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1,localhost", **more}


def fresh(folder):
    """An empty output folder. One that holds anything is refused: nobody's files are deleted here."""
    folder = Path(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise LabError(f"`{folder}` is not empty; name a new folder")
    return folder


class Model:
    """The scripted model on a free loopback port; `with` stops it whatever happens."""

    def __init__(self, scenario, log, cwd, port=0):
        self.args = [sys.executable, str(LAB / "mock_llm.py"), "--scenario", str(scenario), "--log", str(log),
                     "--cwd", str(cwd), "--port", str(port), "--with-parent", "--port-file", str(log) + ".port"]
        self.port_file = Path(str(log) + ".port")

    def __enter__(self):
        self.process = subprocess.Popen(self.args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.process.stderr.readline()  # it says one line once it listens, or why it cannot
        if not self.port_file.exists():
            raise LabError("the scripted model did not start:\n" + self.process.stderr.read()[-800:])
        self.port = int(self.port_file.read_text())
        self.port_file.unlink()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def prepare_home(client, home, port):
    """What a client wants to find in HOME before its first run."""
    home = Path(home)
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n")
    source = LAB / "configs" / client
    for path in (p for p in source.rglob("*") if p.is_file()):
        target = home / SETTINGS[client] / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text().replace("PORT", str(port)))


def prepare_project(folder, home, commands=()):
    """A fresh copy of the sample under git, always with the same first commit, then a scenario's own commands."""
    shutil.copytree(LAB / "sample", folder)
    when = "2026-01-05T09:00:00Z"
    env = clean_env(home, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    remote = "git remote add origin https://git.example.com/dev/ledger.git"
    for command in ["git init -q", "git add -A", "git commit -q -m 'A tiny ledger'", remote, *commands]:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
        if done.returncode:
            raise LabError(f"cannot prepare the project: `{command}`: {done.stderr.strip()}")


def command_line(client, binary, prompt, resume=None, fork=False, args=(), quoted=False):
    """One non-interactive turn, as a person would type it."""
    if client == "claude":
        again = ["--resume", resume] if resume else []
        again += ["--fork-session"] if fork else []
        # The prompt stays right behind -p: --allowedTools takes any number of words and would swallow it.
        return [str(binary), "-p", prompt, "--output-format", "json", "--allowedTools", "Bash,Read,Edit,Write,Agent,Task", *again, *args]
    if client == "codex":
        again = ["resume", resume] if resume else []
        return [str(binary), "exec", "--skip-git-repo-check", "--json", *args, *again, prompt]
    if client == "opencode":
        again = ["--session", resume] if resume else []
        again += ["--fork"] if fork else []
        # Word by word: of a prompt that is one argument the client keeps the quotes, as if they had been typed.
        words = [prompt] if quoted else prompt.split(" ")
        return [str(binary), "run", "--format", "json", *again, *args, "--", *words]
    again = ["--resume", resume] if resume else []
    return [str(binary), "--approval-mode", "yolo", "--output-format", "json", *again, *args, "-p", prompt]


def run_client(client, line, home, project, port, out, env=None):
    """Run one command line to its end or to LIMIT; returns its exit code, 124 when the time was up.

    `out` is a pair of open files for stdout and stderr. The client leads a process group of its own,
    and the whole group ends with it: background commands must not outlive a test.
    """
    world = clean_env(home, **QUIET[client], **(env or {}))
    if client in NODE:
        world["PATH"] = f"{Path(line[0]).parent}:{world['PATH']}"  # the node that came with it, if one did
    if client in ADDRESS:
        world[ADDRESS[client]] = f"http://127.0.0.1:{port}"
    if client == "gemini":  # before 0.39 or so it knows no NO_PROXY; the model is a proxy that leads only to itself
        world.update(dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), f"http://127.0.0.1:{port}"))
    process = subprocess.Popen(line, cwd=project, env=world, stdin=subprocess.DEVNULL, stdout=out[0], stderr=out[1],
                               start_new_session=True)
    try:
        return process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        return 124
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def session_id(client, stdout):
    """The id a client reports for the session it just ran."""
    key = {"codex": "thread_id", "opencode": "sessionID"}.get(client, "session_id")
    found = re.search(rf'"{key}":\s*"(ses_\w+|[0-9a-f-]{{36}})"', stdout)
    return found and found.group(1)


def transcripts(client, home):
    folder, name = TRANSCRIPTS[client]
    return sorted(p for p in (Path(home) / folder).rglob(name) if p.is_file())


def read_scenario(name):
    path = Path(name)
    if not path.exists():
        path = LAB / "scenarios" / f"{name}.json"
    if not path.exists():
        known = ", ".join(sorted(p.stem for p in (LAB / "scenarios").glob("*.json")))
        raise LabError(f"no scenario `{name}`; known: {known}")
    try:
        return path.resolve(), json.loads(path.read_text())
    except ValueError as err:
        raise LabError(f"scenario `{path}` is not JSON: {err}")


def for_client(step, key, client):
    """A step may say a thing once, or apart for each client: {"claude": …, "codex": …}."""
    value = step.get(key)
    return value.get(client) if isinstance(value, dict) else value


def run_scenario(client, binary, version, scenario, home, project, out, hooks=None, env=None, prompt=None):
    """All steps of one scenario; returns the session ids, in the order they were made.

    Leaves in `out`: requests.jsonl, stdout, stderr. `hooks(home)` may write the client's settings.
    """
    path, script = read_scenario(scenario)
    if client not in script.get("clients", CLIENTS):
        raise LabError(f"scenario {path.stem} is only for {', '.join(script['clients'])}")
    out = Path(out)
    ids = []
    with Model(path, out / "requests.jsonl", project) as model:
        prepare_home(client, home, model.port)
        prepare_project(project, home, script.get("prepare", []))
        extra = (hooks(Path(home)) if hooks else None) or []
        for step in [{"prompt": prompt}] if prompt else script["steps"]:
            source = ids[step["of"]] if "of" in step else (ids[-1] if ids and step.get("resume") else None)
            line = command_line(client, binary, for_client(step, "prompt", client), source, step.get("fork", False),
                                [*extra, *(for_client(step, "args", client) or [])], step.get("quoted", False))
            with open(out / "stdout", "ab") as stdout, open(out / "stderr", "ab") as stderr:
                begin = stdout.tell()
                code = run_client(client, line, home, project, model.port, (stdout, stderr), env)
            said = (out / "stdout").read_text(errors="replace")[begin:]
            if code:
                tail = ((out / "stderr").read_text(errors="replace") + said).strip()[-600:]
                why = f"was stopped after {LIMIT:.0f} s" if code == 124 else f"ended with {code}"
                raise LabError(f"{client} {version} {why} in scenario {path.stem} (see {out}):\n{tail}")
            found = session_id(client, said)
            if found and found not in ids:
                ids.append(found)
    if not transcripts(client, home):
        raise LabError(f"{client} {version} left no transcript in {home}")
    return ids
