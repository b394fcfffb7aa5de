"""Cut a vendor's prompts out of a transcript, and keep its shape.

In: a transcript. Out: the same with fewer and shorter lines. What people typed, what the scripted model said
and what tools printed stay whole; text that ships with a client becomes "(cut)", and lines that hold nothing
else go. A line whose parent went gets its grandparent, so the tree stays one tree.
"""
import json
import re

CUT = "(cut)"
LONG = 1000  # characters; a longer string outside the places listed in WHOLE is a prompt

# Claude Code: whole requests as sent to the model, prompts included.
DROPPED = re.compile(r"api-request.*|atis-latch")
# Attachments that belong to the session, and the one that stays as an empty shell: real lines have such parents.
KEPT = re.compile(r"hook_.*|queued_command")
SHELL = "environment"
SHOWN = ("rendered", "renderedRole", "renderedBesideToolResult")  # how an attachment was put to the model
# Keys whose text belongs to the session, however long.
WHOLE = {"stdout", "stderr", "aggregated_output", "formatted_output", "output", "command", "cmd", "arguments", "input", "toolUseResult"}
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.S)
# Frames that clients put around text of the session: their opening words stay, because readers know them by these.
FRAMED = [
    (re.compile(r"(\[Subagent hand-back\]).*?(The report follows:)", re.S), rf"\1 {CUT} \2"),
    (re.compile(r"(Another language model started to solve this problem).*?(own analysis:)", re.S), rf"\1 {CUT} \2"),
    (re.compile(r"(If you need specific details from before compaction) .*", re.S), rf"\1 {CUT}"),
    (re.compile(r"(<local-command-caveat>[^.]{0,60}).*?(</local-command-caveat>)", re.S), rf"\1{CUT}\2"),
]
# Gemini CLI: what it says about the machine and the project; only the folders stay, for they tell where the session was.
CONTEXT = re.compile(r"(<session_context>\n).*?(- \*\*Workspace Directories:\*\*\n(?:  - [^\n]*\n)+).*?(</session_context>)", re.S)
# Codex: messages that look like a user's and are not.
FRAMES = re.compile(r"<(user_instructions|skills_instructions|apps_instructions|plugins_instructions|permissions instructions)")


def claude(lines):
    parents, kept = {}, []
    for line in lines:
        attachment = line.get("attachment") or {}
        kind = attachment.get("type", "")
        if DROPPED.fullmatch(line.get("type", "")):
            continue
        if kind and not KEPT.fullmatch(kind):
            if kind != SHELL:
                parents[line["uuid"]] = line.get("parentUuid")
                continue
            line = {k: v for k, v in line.items() if k not in SHOWN}
            line["attachment"] = {"type": kind, "content": CUT}
        kept.append(line)
    for line in kept:
        for key in ("parentUuid", "leafUuid", "logicalParentUuid"):
            while line.get(key) in parents:
                line[key] = parents[line[key]]
    return kept


def codex(lines):
    # token_usage_record says again, at length, what the token_count event beside it says
    kept = [line for line in lines if line.get("type") != "token_usage_record"]
    for line in kept:
        body, kind = line.get("payload"), line.get("type")
        if kind == "world_state":
            line["payload"] = CUT
        elif kind == "session_meta" and body.get("base_instructions"):
            body["base_instructions"] = {"text": CUT}
        elif kind == "turn_context":
            prompts(body)
        elif kind == "compacted":
            for item in body.get("replacement_history") or []:
                message(item)
        elif kind == "response_item":
            message(body)
        elif kind == "event_msg" and body.get("type") == "token_count":
            body.update(info=None, rate_limits=None)  # as clients themselves write it before the first answer
    return kept


def gemini(lines):
    for line in lines:
        changed = line.get("$set") or {}
        for item in [line, *(line.get("messages") or []), *(changed.get("messages") or [])]:
            for call in item.get("toolCalls") or []:
                display = call.get("resultDisplay")
                if isinstance(display, list):  # a screen, cell by cell; the text is in the result
                    call["resultDisplay"] = [row[:1] for row in display[:1]]
                if call.get("status") != "success" and call.get("description"):  # then it is the tool's
                    call["description"] = CUT
    return lines


def opencode(lines):
    return lines  # what it keeps of a session is the session's own


def message(item):
    """Developer messages are the client's own words; so are a few that come as the user's."""
    if item.get("type") != "message":
        return
    for part in item.get("content") or []:
        if item.get("role") == "developer" or FRAMES.match(part.get("text", "")):
            part["text"] = CUT


def prompts(value):
    """Blank every field that is called instructions, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.endswith("instructions") and isinstance(inner, str):
                value[key] = CUT
            else:
                prompts(inner)


def shorten(value, key=""):
    if isinstance(value, str):
        value = REMINDER.sub(f"<system-reminder>{CUT}</system-reminder>", value)
        value = CONTEXT.sub(rf"\1{CUT}\n\2{CUT}\n\3", value)
        for frame, short in FRAMED:
            value = frame.sub(short, value)
        return CUT if len(value) > LONG and key not in WHOLE else value
    if isinstance(value, list):
        return [shorten(v, key) for v in value]
    if isinstance(value, dict):
        # A tool result says its text under `content`: that is the session's own.
        inner = {"content": "output"} if value.get("type") == "tool_result" else {}
        return {k: shorten(v, inner.get(k, k)) for k, v in value.items()}
    return value


def cut(client, text):
    """A transcript of lines, each an object."""
    lines = KEEP[client]([json.loads(line) for line in text.splitlines() if line.strip()])
    return "".join(dense(shorten(line)) + "\n" for line in lines)


def cut_one(client, text):
    """A transcript, or a piece of one, that is a single object; its layout stays."""
    indented = text.startswith("{\n")
    value = shorten(KEEP[client]([json.loads(text)])[0])
    return json.dumps(value, ensure_ascii=False, indent=2) if indented else dense(value)


def dense(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


KEEP = {"claude": claude, "codex": codex, "opencode": opencode, "gemini": gemini}
