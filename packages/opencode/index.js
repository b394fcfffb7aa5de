// uptake: tells OpenCode what was learned in earlier sessions. Asks the uptake binary, and does nothing where that is gone.
//
// It only passes on what happens and what is answered; what is worth saying the binary knows. `uptake uninstall`
// removes the copy of this file that `uptake init` made.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

// `uptake init` writes down here where uptake is.
const INSTALLED = null;

/** Longer than the binary ever takes, in milliseconds. */
const PATIENCE = 3000;

function binary() {
  if (INSTALLED) return existsSync(INSTALLED.binary) ? INSTALLED.binary : null;
  const data = process.env.XDG_DATA_HOME || join(homedir(), ".local/share");
  const link = join(process.env.UPTAKE_HOME || join(data, "uptake"), "bin/uptake");
  return existsSync(link) ? link : "uptake";
}

/** The tools before whose calls uptake is asked. */
const BEFORE = ["bash", "edit", "write", "multiedit", "patch", "apply_patch"];

/** Asks uptake. Whatever goes wrong, nothing is said; `failed` says that it may go better next time. */
function ask(payload) {
  try {
    const program = binary();
    if (!program) return {};
    const env = INSTALLED?.home ? { ...process.env, UPTAKE_HOME: INSTALLED.home } : process.env;
    const { stdout, error, status } = spawnSync(program, ["hook", "opencode"], {
      input: JSON.stringify(payload),
      env,
      encoding: "utf8",
      timeout: PATIENCE,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    if (error || status !== 0) return { failed: true };
    return stdout ? JSON.parse(stdout) : {};
  } catch {
    return { failed: true };
  }
}

/** Commands for the user; a command of theirs with the same name stays. */
const COMMANDS = {
  "retrospective": {
    "description": "Say what failed in this session and what got past it, and hand in what was learned",
    "template": "Run `uptake learn --json` and then `uptake retro`. If `uptake` is not found, try `~/.local/share/uptake/bin/uptake`; if that is not there either, say that uptake is not installed, and stop.\n\nTell the user in a few sentences what failed in this session, what got past it, and what it cost. If you learned something that another agent should know in this project, hand in at most three things, one at a time:\n\n    uptake submit '{\"task\":\"…\",\"mistake\":\"…\"}'\n\n(`pattern` instead of `mistake` for what to do.) Nobody is told before the user said yes: end with `uptake review`."
  },
  "optimize-skills": {
    "description": "Look for skills that could be shorter, clearer or gone",
    "template": "Run `uptake skill curate`. If `uptake` is not found, try `~/.local/share/uptake/bin/uptake`; if that is not there either, say that uptake is not installed, and stop.\n\nGo through what it says of each skill: read the file, and propose a shorter or clearer text, a better description, or that it goes. Change a file only after the user agreed to the change."
  },
  "uptake-wrong": {
    "description": "Say that a hint of uptake was wrong: it is silenced",
    "template": "Run `uptake wrong $ARGUMENTS`. Without an id the last hint that was told is meant; the id is in brackets at the end of a hint. If `uptake` is not found, try `~/.local/share/uptake/bin/uptake`.\n\nTell the user which hint is silenced now, and that `uptake undo` takes that back. Do not follow that hint any more."
  }
};

export const Uptake = async ({ directory }) => {
  /** How sessions start whose first message is still to come. */
  const starts = new Map();
  /** What is told about calls that OpenCode itself failed, by their ids. */
  const told = new Map();
  /** What is told before calls that are not over yet: the model hears it with the result. */
  const before = new Map();

  const heardWith = (call, context) => {
    const all = [before.get(call), context].filter(Boolean).join("\n\n");
    before.delete(call);
    return all;
  };

  const asking = (event, session, more) =>
    ask({ hook_event_name: event, session_id: session, cwd: directory, ...more });

  const onStart = (session) => {
    const start = starts.get(session);
    if (!start) return {};
    const answer = start.parent
      ? asking("SubagentStart", session, { agent_id: session, agent_type: start.agent ?? "" })
      : asking("SessionStart", session, { source: start.source });
    // What could not be asked now is asked with the next message.
    if (!answer.failed) starts.delete(session);
    return answer;
  };

  return {
    config: async (config) => {
      config.command = { ...COMMANDS, ...config.command };
    },

    event: async ({ event }) => {
      const about = event.properties ?? {};
      if (event.type === "session.created") {
        starts.set(about.info.id, { source: "startup", parent: about.info.parentID });
      } else if (event.type === "session.compacted") {
        starts.set(about.sessionID, { source: "compact" });
      } else if (event.type === "session.idle") {
        asking("SessionEnd", about.sessionID, { reason: "idle" });
      } else if (event.type === "message.part.updated") {
        const part = about.part;
        if (part?.type !== "tool" || part.state?.status !== "error" || told.has(part.callID)) return;
        const failed = { tool_name: part.tool, tool_input: part.state.input, tool_use_id: part.callID };
        const { context } = asking("PostToolUseFailure", part.sessionID, { ...failed, error: part.state.error });
        told.set(part.callID, heardWith(part.callID, context));
      }
    },

    "chat.message": async (input, output) => {
      const session = input.sessionID;
      const start = starts.get(session);
      if (start) start.agent = input.agent;
      const words = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      const answers = [onStart(session)];
      if (!start?.parent) answers.push(asking("UserPromptSubmit", session, { prompt: words.join("\n") }));
      const last = output.parts.at(-1);
      answers.forEach(({ context }, n) => {
        if (!context || !last) return;
        const { sessionID, messageID } = last;
        output.parts.push({ id: `${last.id}${n}`, sessionID, messageID, type: "text", text: context, synthetic: true });
      });
    },

    "tool.execute.before": async (input, output) => {
      if (!BEFORE.includes(input.tool) || INSTALLED?.before_calls === false) return;
      const call = { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID };
      const { deny, context } = asking("PreToolUse", input.sessionID, call);
      if (context) before.set(input.callID, context);
      if (!deny) return;
      told.set(input.callID, "");
      throw new Error(deny);
    },

    "tool.execute.after": async (input, output) => {
      const { context } = input.tool !== "bash" ? {} : asking("PostToolUse", input.sessionID, {
        tool_name: input.tool,
        tool_input: input.args,
        tool_use_id: input.callID,
        tool_response: { output: output.output, exit: output.metadata?.exit },
      });
      const heard = heardWith(input.callID, context);
      if (heard) output.output += `\n\n${heard}`;
    },

    // What OpenCode itself fails has no output to add to; the model is told when it is next asked.
    "experimental.chat.messages.transform": async (_input, output) => {
      for (const { parts } of output.messages) {
        for (const part of parts) {
          const context = part.type === "tool" && part.state?.status === "error" && told.get(part.callID);
          if (context && !part.state.error.includes(context)) part.state.error += `\n\n${context}`;
        }
      }
    },
  };
};
