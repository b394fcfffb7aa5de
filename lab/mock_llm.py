#!/usr/bin/env python3
"""A scripted stand-in for hosted model APIs, on loopback only.

Speaks just enough of four wire protocols for real coding agents to run a whole
session offline:

  POST /v1/messages                      Anthropic Messages (JSON and SSE)
  POST /v1/messages/count_tokens         Anthropic token count
  POST /v1/responses                     OpenAI Responses (JSON and SSE)
  POST /v1/chat/completions              OpenAI Chat Completions (JSON and SSE)
  POST /v1beta/models/M:generateContent  Gemini (and :streamGenerateContent, :countTokens)
  GET  /v1/models                        model list
  CONNECT                                as a proxy, to itself only

Every request is appended to a JSONL log (--log) together with the reply that
was chosen, so a test can prove what really reached "the model".

The model's behaviour is a JSON scenario:

  {
    "rules": [                         # tried in order; first match answers
      {"match": {"system": "title"},   # regexes, all must hold, see MATCHERS
       "reply": {"text": "A title"}}
    ],
    "conversations": [                 # first match scripts the whole dialogue
      {"match": {"first_user": "SUBTASK"},
       "turns": [ {"text": "sub done"} ]},
      {"turns": [                      # no match = default conversation
        {"text": "looking", "tools": [{"shell": "ls -la"}]},
        {"tools": [{"shell": "false"}]},
        {"tools": [{"name": "Read", "input": {"file_path": "notes.txt"}}]},
        {"text": "Finished."}
      ]}
    ],
    "default": {"text": "ok"}          # used when the script is exhausted
  }

Turn selection is stateless: turn index = number of assistant messages (model
turns) already in the request since the last genuine user prompt (or since the
start when "count": "all" is set on the conversation).  Retries therefore get
the same answer and parallel sub-agents do not disturb each other.

{"shell": CMD} is translated to whichever shell tool the client advertises;
"extra" beside it adds arguments.  "{cwd}" anywhere in a tool call becomes the
folder given with --cwd, for tools that want absolute paths; the value
"{process}" becomes the number of the last process the client said is running,
"{agent}" the id of the last agent that it started.  A tool in a namespace is named
with it: "multi_agent_v1.spawn_agent".
A turn may also carry "sleep" (seconds), "thinking" (text), "error"
({"status":529,"type":"overloaded_error","message":"..."}), "stop" (override of
stop reason) and "usage" ({"input":N,"output":M}).
"""
import argparse
import json
import os
import re
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()

# Client shell tools: name -> function(cmd, schema properties) -> arguments
SHELL_TOOLS = {
    "Bash": lambda c, p: {"command": c, "description": "run command"},
    "bash": lambda c, p: {"command": c, "description": "run command"},
    "exec_command": lambda c, p: {"cmd": c},
    "shell_command": lambda c, p: {"command": c},
    "shell": lambda c, p: {"command": ["bash", "-lc", c]}
    if (p.get("command") or {}).get("type") == "array" else {"command": c},
    "local_shell": lambda c, p: {"command": ["bash", "-lc", c]},
    "run_shell_command": lambda c, p: {"command": c, "description": "run command",
                                       **({"is_background": False} if "is_background" in p else {})},
    "execute_command": lambda c, p: {"command": c},
    "Execute": lambda c, p: {"command": c},
}


def text_of(content):
    """Flatten any provider's content value into plain text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        for key in ("text", "content", "output", "parts"):
            if key in content:
                return text_of(content[key])
        return ""
    return "\n".join(filter(None, (text_of(c) for c in content)))


def prompt_of(text):
    """What a person typed: a user message without the reminders clients wrap into it."""
    return re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.S).strip()


class View:
    """Protocol independent view of a request: what the matchers look at."""

    def __init__(self, api, body):
        self.api, self.body = api, body
        self.system, self.tools, self.msgs = "", {}, []  # msgs: (role, text)
        getattr(self, "_" + api)(body)
        genuine = [i for i, (r, t) in enumerate(self.msgs) if r == "user" and prompt_of(t)]
        self.first_user = self.msgs[genuine[0]][1] if genuine else ""
        self.last_user = self.msgs[genuine[-1]][1] if genuine else ""
        self.all_user = "\n".join(self.msgs[i][1] for i in genuine)
        last = genuine[-1] if genuine else -1
        self.turns_all = self._count(self.msgs)
        self.turns_since_user = self._count(self.msgs[last + 1:])

    @staticmethod
    def _count(msgs):
        """Assistant turns: a run of consecutive assistant items is one turn."""
        n, prev = 0, None
        for role, _ in msgs:
            if role == "assistant" and prev != "assistant":
                n += 1
            prev = role
        return n

    def _anthropic(self, b):
        self.system = text_of(b.get("system"))
        for t in b.get("tools") or []:
            self.tools[t.get("name")] = (t.get("input_schema") or {}).get("properties") or {}
        for m in b.get("messages") or []:
            c = m.get("content")
            if m["role"] == "user" and isinstance(c, list) and any(
                    x.get("type") == "tool_result" for x in c if isinstance(x, dict)):
                self.msgs.append(("tool", text_of([x for x in c if x.get("type") == "tool_result"])))
                typed = [x["text"] for x in c if x.get("type") == "text" and not
                         x["text"].startswith(("<system-reminder>", "[Request interrupted"))]
                if typed:  # a prompt typed right after an interrupted tool call
                    self.msgs.append(("user", "\n".join(typed)))
            else:
                self.msgs.append((m["role"], text_of(c)))

    def _responses(self, b):
        self.system = b.get("instructions") or ""
        for t in b.get("tools") or []:
            name = t.get("name") or t.get("type")
            self.tools[name] = (t.get("parameters") or {}).get("properties") or {}
        inp = b.get("input")
        if isinstance(inp, str):
            inp = [{"type": "message", "role": "user", "content": inp}]
        for it in inp or []:
            kind = it.get("type", "message")
            if kind == "message":
                role = it.get("role")
                if role in ("system", "developer"):
                    self.system += "\n" + text_of(it.get("content"))
                else:
                    self.msgs.append((role, text_of(it.get("content"))))
            elif kind.endswith("_output"):
                self.msgs.append(("tool", text_of(it.get("output"))))
            elif kind.endswith("_call") or kind == "reasoning":
                self.msgs.append(("assistant", ""))

    def _chat(self, b):
        for t in b.get("tools") or []:
            f = t.get("function") or {}
            self.tools[f.get("name")] = (f.get("parameters") or {}).get("properties") or {}
        for m in b.get("messages") or []:
            role = m.get("role")
            if role in ("system", "developer"):
                self.system += text_of(m.get("content"))
            else:
                self.msgs.append((role, text_of(m.get("content"))))

    def _gemini(self, b):
        self.system = text_of(b.get("systemInstruction"))
        for group in b.get("tools") or []:
            for f in group.get("functionDeclarations") or []:
                schema = f.get("parametersJsonSchema") or f.get("parameters") or {}
                self.tools[f.get("name")] = schema.get("properties") or {}
        for c in b.get("contents") or []:
            parts = c.get("parts") or []
            if c.get("role") == "model":
                self.msgs.append(("assistant", text_of(parts)))
            elif any("functionResponse" in p for p in parts):
                self.msgs.append(("tool", text_of(parts)))
            else:
                self.msgs.append(("user", text_of(parts)))


MATCHERS = {
    "system": lambda v, rx: re.search(rx, v.system, re.S),
    "first_user": lambda v, rx: re.search(rx, v.first_user, re.S),
    "last_user": lambda v, rx: re.search(rx, v.last_user, re.S),
    "any_user": lambda v, rx: re.search(rx, v.all_user, re.S),
    "model": lambda v, rx: re.search(rx, str(v.body.get("model", ""))),
    "has_tool": lambda v, name: name in v.tools,
    "no_tools": lambda v, want: (not v.tools) == bool(want),
    "api": lambda v, name: v.api == name,
}


def matches(view, cond):
    return all(MATCHERS[k](view, arg) for k, arg in (cond or {}).items())


def pick(scenario, view):
    """Return (turn dict, label) for this request."""
    for i, rule in enumerate(scenario.get("rules", [])):
        if matches(view, rule.get("match")):
            return rule["reply"], "rule:%d" % i
    for i, conv in enumerate(scenario.get("conversations", [])):
        if matches(view, conv.get("match")):
            n = view.turns_all if conv.get("count") == "all" else view.turns_since_user
            turns = conv["turns"]
            if n < len(turns):
                return turns[n], "conversation:%d turn:%d" % (i, n)
            break
    return scenario.get("default", {"text": "ok"}), "default"


def resolve_tools(turn, view):
    """[(name, args)] with {"shell": cmd} mapped onto the client's shell tool."""
    out = []
    for call in turn.get("tools", []):
        if "shell" in call:
            for name, build in SHELL_TOOLS.items():
                if name in view.tools:
                    args = build(call["shell"], view.tools[name])
                    args.update(call.get("extra", {}))
                    out.append((name, args))
                    break
            else:
                out.append(("Bash", {"command": call["shell"], "description": "run command"}))
        else:
            out.append((call["name"], call.get("input", {})))
    return out


def filled(value, cwd, view):
    """The same value with {cwd}, {process} and {agent} filled in, at any depth."""
    if value == "{process}":
        running = [n for _, text in view.msgs for n in re.findall(r"running with session ID (\d+)", text)]
        return int(running[-1]) if running else 0
    if value == "{agent}":
        started = [n for _, text in view.msgs for n in re.findall(r'\\?"agent_id\\?": ?\\?"([^"\\]+)', text)]
        return started[-1] if started else ""
    if isinstance(value, str):
        return value.replace("{cwd}", cwd)
    if isinstance(value, list):
        return [filled(v, cwd, view) for v in value]
    if isinstance(value, dict):
        return {k: filled(v, cwd, view) for k, v in value.items()}
    return value


def rid(prefix):
    return prefix + uuid.uuid4().hex[:24]


# ------------------------------------------------------------------ encoders
def enc_anthropic(turn, calls, body):
    model, mid = body.get("model", "mock"), rid("msg_01")
    blocks = []
    if turn.get("thinking"):
        blocks.append({"type": "thinking", "thinking": turn["thinking"], "signature": "bW9jaw=="})
    if turn.get("text"):
        blocks.append({"type": "text", "text": turn["text"]})
    for name, args in calls:
        blocks.append({"type": "tool_use", "id": rid("toolu_01"), "name": name, "input": args})
    u = turn.get("usage", {})
    usage = {"input_tokens": u.get("input", 100), "cache_creation_input_tokens": u.get("cache_write", 0),
             "cache_read_input_tokens": u.get("cache_read", 0), "output_tokens": u.get("output", 20)}
    stop = turn.get("stop") or ("tool_use" if calls else "end_turn")
    msg = {"id": mid, "type": "message", "role": "assistant", "model": model, "content": blocks,
           "stop_reason": stop, "stop_sequence": None, "usage": usage}
    if not body.get("stream"):
        return msg, None
    ev = [("message_start", {"type": "message_start", "message": dict(
        msg, content=[], stop_reason=None, usage=dict(usage, output_tokens=1))})]
    for i, b in enumerate(blocks):
        if b["type"] == "text":
            start, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": b["text"]}]
        elif b["type"] == "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": b["thinking"]},
                      {"type": "signature_delta", "signature": b["signature"]}]
        else:
            start = dict(b, input={})
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(b["input"])}]
        ev.append(("content_block_start", {"type": "content_block_start", "index": i, "content_block": start}))
        ev += [("content_block_delta", {"type": "content_block_delta", "index": i, "delta": d}) for d in deltas]
        ev.append(("content_block_stop", {"type": "content_block_stop", "index": i}))
    ev.append(("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                                 "usage": usage}))
    ev.append(("message_stop", {"type": "message_stop"}))
    return msg, ev


def enc_responses(turn, calls, body):
    items = []
    if turn.get("thinking"):
        items.append({"id": rid("rs_"), "type": "reasoning", "status": "completed", "encrypted_content": None,
                      "summary": [{"type": "summary_text", "text": turn["thinking"]}]})
    if turn.get("text"):
        items.append({"id": rid("msg_"), "type": "message", "role": "assistant", "status": "completed",
                      "content": [{"type": "output_text", "text": turn["text"], "annotations": []}]})
    for name, args in calls:
        if isinstance(args, dict) and set(args) == {"__custom__"}:  # freeform tool
            items.append({"id": rid("ctc_"), "type": "custom_tool_call", "status": "completed",
                          "call_id": rid("call_"), "name": name, "input": args["__custom__"]})
        else:
            space, _, name = name.rpartition(".")
            items.append({"id": rid("fc_"), "type": "function_call", "status": "completed",
                          "call_id": rid("call_"), "name": name, "arguments": json.dumps(args),
                          **({"namespace": space} if space else {})})
    u = turn.get("usage", {})
    i, o = u.get("input", 100), u.get("output", 20)
    resp = {"id": rid("resp_"), "object": "response", "created_at": int(time.time()), "status": "completed",
            "model": body.get("model", "mock"), "output": items, "parallel_tool_calls": True, "error": None,
            "usage": {"input_tokens": i, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": o,
                      "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": i + o}}
    if not body.get("stream"):
        return resp, None
    ev, seq = [], [0]

    def add(kind, **kw):
        ev.append((kind, dict(kw, type=kind, sequence_number=seq[0])))
        seq[0] += 1

    add("response.created", response=dict(resp, status="in_progress", output=[], usage=None))
    for n, it in enumerate(items):
        if it["type"] == "message":
            add("response.output_item.added", output_index=n, item=dict(it, status="in_progress", content=[]))
            add("response.content_part.added", item_id=it["id"], output_index=n, content_index=0,
                part={"type": "output_text", "text": "", "annotations": []})
            add("response.output_text.delta", item_id=it["id"], output_index=n, content_index=0,
                delta=it["content"][0]["text"])
            add("response.output_text.done", item_id=it["id"], output_index=n, content_index=0,
                text=it["content"][0]["text"])
            add("response.content_part.done", item_id=it["id"], output_index=n, content_index=0,
                part=it["content"][0])
        elif it["type"] == "function_call":
            add("response.output_item.added", output_index=n, item=dict(it, status="in_progress", arguments=""))
            add("response.function_call_arguments.delta", item_id=it["id"], output_index=n, delta=it["arguments"])
            add("response.function_call_arguments.done", item_id=it["id"], output_index=n,
                arguments=it["arguments"])
        else:
            add("response.output_item.added", output_index=n, item=it)
        add("response.output_item.done", output_index=n, item=it)
    add("response.completed", response=resp)
    return resp, ev


def enc_chat(turn, calls, body):
    cid, model = rid("chatcmpl-"), body.get("model", "mock")
    tcs = [{"index": n, "id": rid("call_"), "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)}} for n, (name, args) in enumerate(calls)]
    fin = turn.get("stop") or ("tool_calls" if tcs else "stop")
    u = turn.get("usage", {})
    i, o = u.get("input", 100), u.get("output", 20)
    usage = {"prompt_tokens": i, "completion_tokens": o, "total_tokens": i + o}
    msg = {"role": "assistant", "content": turn.get("text") or (None if tcs else "")}
    if tcs:
        msg["tool_calls"] = [{k: v for k, v in t.items() if k != "index"} for t in tcs]
    full = {"id": cid, "object": "chat.completion", "created": int(time.time()), "model": model,
            "choices": [{"index": 0, "message": msg, "finish_reason": fin}], "usage": usage}
    if not body.get("stream"):
        return full, None

    def chunk(delta, fr=None, **kw):
        return (None, dict({"id": cid, "object": "chat.completion.chunk", "created": int(time.time()),
                            "model": model, "choices": [{"index": 0, "delta": delta, "finish_reason": fr}]}, **kw))

    ev = [chunk({"role": "assistant", "content": ""})]
    if turn.get("text"):
        ev.append(chunk({"content": turn["text"]}))
    if tcs:
        ev.append(chunk({"tool_calls": tcs}))
    ev.append(chunk({}, fin))
    ev.append((None, {"id": cid, "object": "chat.completion.chunk", "created": int(time.time()), "model": model,
                      "choices": [], "usage": usage}))
    ev.append((None, "[DONE]"))
    return full, ev


def enc_gemini(turn, calls, body):
    parts = []
    if turn.get("thinking"):
        parts.append({"text": turn["thinking"], "thought": True})
    if turn.get("text"):
        parts.append({"text": turn["text"]})
    parts += [{"functionCall": {"id": rid("fc_"), "name": n, "args": a}} for n, a in calls]
    u = turn.get("usage", {})
    i, o = u.get("input", 100), u.get("output", 20)
    full = {"candidates": [{"content": {"role": "model", "parts": parts or [{"text": ""}]},
                            "finishReason": turn.get("stop", "STOP"), "index": 0}],
            "usageMetadata": {"promptTokenCount": i, "candidatesTokenCount": o, "totalTokenCount": i + o},
            "modelVersion": body.get("model", "mock"), "responseId": rid("")}
    return full, [(None, full)] if body.get("stream") else None


ENCODERS = {"anthropic": enc_anthropic, "responses": enc_responses, "chat": enc_chat, "gemini": enc_gemini}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "mock-llm/1"

    def log_message(self, *_):
        pass

    def _json(self, obj, status=200):
        data = json.dumps(obj).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("request-id", rid("req_"))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _sse(self, events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("request-id", rid("req_"))
        self.send_header("Connection", "close")
        self.end_headers()
        for name, data in events:
            payload = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write(((("event: %s\n" % name) if name else "") + "data: %s\n\n" % payload).encode())
            self.wfile.flush()
        self.close_connection = True

    def _log(self, **rec):
        rec = dict(ts=time.time(), method=self.command, path=self.path, **rec)
        with LOCK, open(self.server.log_path, "a") as f:
            f.write(json.dumps(rec) + "\n")

    def do_CONNECT(self):
        """A tunnel to this very server, for clients that send even loopback through a proxy; to nowhere else."""
        self._log(note="connect")
        if self.path != "127.0.0.1:%d" % self.server.server_address[1]:
            return self._json({"error": {"message": "mock: no way to " + self.path}}, 403)
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        self.close_connection = False

    def do_HEAD(self):
        self._log(note="head")
        self._json({})

    def do_GET(self):
        self._log(headers=dict(self.headers))
        if re.search(r"/models/?($|\?)", self.path):
            ids = self.server.scenario.get("models", ["mock-model"])
            return self._json({"object": "list", "data": [
                {"id": m, "object": "model", "type": "model", "display_name": m, "created": 0,
                 "created_at": "2026-01-01T00:00:00Z", "owned_by": "mock"} for m in ids],
                "has_more": False})
        self._json({"error": {"type": "not_found_error", "message": "mock: " + self.path}}, 404)

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if (self.headers.get("Transfer-Encoding") or "").lower() == "chunked":
            raw = b""
            while True:
                size = int(self.rfile.readline().strip() or b"0", 16)
                chunk = self.rfile.read(size)
                self.rfile.readline()
                if not size:
                    break
                raw += chunk
        enc = (self.headers.get("Content-Encoding") or "").lower()
        if enc == "gzip":
            import gzip
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            self._log(raw=raw[:2000].decode("utf-8", "replace"), encoding=enc)
            return self._json({"error": {"type": "invalid_request_error", "message": "bad json"}}, 400)
        p = self.path.split("?")[0]
        if p.endswith("/count_tokens"):
            self._log(api="count_tokens")
            return self._json({"input_tokens": len(raw) // 4})
        if p.endswith(":countTokens"):
            return self._json({"totalTokens": len(raw) // 4})
        if p.endswith("/messages"):
            api = "anthropic"
        elif p.endswith("/responses"):
            api = "responses"
        elif p.endswith("/chat/completions"):
            api = "chat"
        elif "generateContent" in p.replace("streamGenerateContent", "generateContent"):
            api = "gemini"
            body["model"] = re.sub(r".*/models/([^:]+):.*", r"\1", p)
            body["stream"] = "streamGenerateContent" in p
        else:
            self._log(headers=dict(self.headers), body=body)
            return self._json({"error": {"type": "not_found_error", "message": "mock: " + p}}, 404)
        if self.server.reload:
            self.server.load()
        view = View(api, body)
        turn, label = pick(self.server.scenario, view)
        calls = [(name, filled(args, self.server.cwd, view)) for name, args in resolve_tools(turn, view)]
        full, events = ENCODERS[api](turn, calls, body)
        hdr = {k: v for k, v in self.headers.items() if k.lower() not in ("authorization", "x-api-key")}
        self._log(api=api, chose=label, turns=view.turns_since_user, turns_all=view.turns_all,
                  headers=hdr, body=body, reply=full)
        if turn.get("sleep"):
            time.sleep(turn["sleep"])
        if turn.get("error"):
            e = turn["error"]
            return self._json({"type": "error", "error": {"type": e.get("type", "api_error"),
                                                          "message": e.get("message", "mock")}}, e.get("status", 500))
        try:
            self._sse(events) if events else self._json(full)
        except (BrokenPipeError, ConnectionResetError):
            pass


def leave_with(parent):
    """End this process when the one that started it is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def load(self):
        with open(self.scenario_path) as f:
            self.scenario = json.load(f)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--scenario", required=True)
    ap.add_argument("--port", type=int, default=0, help="0 = pick a free port")
    ap.add_argument("--log", default="requests.jsonl")
    ap.add_argument("--port-file", help="write the chosen port here")
    ap.add_argument("--cwd", default=os.getcwd(), help="what {cwd} in a tool call stands for")
    ap.add_argument("--with-parent", action="store_true", help="end when the starting process ends")
    ap.add_argument("--no-reload", action="store_true", help="do not re-read the scenario per request")
    a = ap.parse_args()
    srv = Server(("127.0.0.1", a.port), Handler)
    srv.scenario_path, srv.log_path, srv.reload = a.scenario, os.path.abspath(a.log), not a.no_reload
    srv.cwd = a.cwd
    if a.with_parent:
        threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()
    srv.load()
    port = srv.server_address[1]
    if a.port_file:
        with open(a.port_file, "w") as f:
            f.write(str(port))
    print("mock-llm on http://127.0.0.1:%d pid %d" % (port, os.getpid()), file=sys.stderr, flush=True)
    try:
        srv.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
