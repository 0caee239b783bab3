import type { ExternalHost, ExternalUpdate, StopSignal } from "@dt/schema";
import { toExternalReport } from "../record/usage-report.js";
import { createReportedCalls } from "./calls/reported-calls.js";
import type { ExternalScope } from "./external-scope.js";
import { createHostFiles } from "./host-files.js";
import { createHostTerminals } from "./host-terminals.js";
import { createTurnText } from "./turn-text.js";
import type { TurnUsage } from "./turn-usage.js";
import { sizeOfUpdate } from "./update-size.js";

/** The host of one turn. */
export interface TurnHost extends ExternalHost {
  /**
   * Ends everything that waits for the agent: its questions are cancelled, its calls fail for this reason, and
   * its commands are ended. Resolves when nothing of the turn runs.
   */
  end(reason: string): Promise<void>;
  /** The text of the turn, for the journal. */
  text(): string;
}

/** If this many events are not committed yet, the agent's next message is read only after their commit. */
const MAX_IN_FLIGHT = 256;
/** Maximum size of all updates of a turn, in characters. An agent that sends more is stopped. */
const MAX_TURN_SIZE = 256_000_000;

/** Creates the host of a turn, which logs the agent's updates and judges its requests. */
export function createTurnHost(scope: ExternalScope, usage: Pick<TurnUsage, "note">): TurnHost {
  const { recorder, agentName } = scope;
  const text = createTurnText(recorder);
  const calls = createReportedCalls(scope);
  const files = createHostFiles(scope, calls);
  const terminals = createHostTerminals(scope, calls);
  const ended = new AbortController();
  let size = 0;

  async function take(update: ExternalUpdate): Promise<void> {
    if (update.type !== "thought") text.endThought();
    switch (update.type) {
      case "text":
        return text.addText(update.text, update.attachments);
      case "thought":
        return text.addThought(update.text);
      case "call":
        return await calls.report(update.call);
      case "todos":
        await recorder.commit({
          journal: [{ type: "todos-written", todos: update.todos }],
          events: [{ kind: "TODOS", todos: update.todos }],
        });
        return;
      case "usage":
        recorder.publish({ kind: "USAGE", report: toExternalReport(recorder.state, update.usage) });
        return await usage.note(update.usage);
      case "offer":
        if (update.notice !== undefined) log("info", update.notice);
        return;
      case "notice":
        return log(update.level, update.text);
    }
  }

  function log(type: string, content: string): void {
    recorder.publish({ kind: "CONSOLE_LOG", log: { type, content } });
  }

  return {
    async update(update) {
      if (ended.signal.aborted) return;
      size += sizeOfUpdate(update);
      if (size > MAX_TURN_SIZE) {
        throw new Error(`${agentName} sent more than ${MAX_TURN_SIZE} characters in one turn`);
      }
      await take(update);
      if (recorder.inFlight >= MAX_IN_FLIGHT) await recorder.flush();
    },
    async judge(call, signal) {
      text.endThought();
      using either = followEither(signal, ended.signal);
      if (await calls.mayRun(call, either.signal)) return "allowed";
      return either.signal.aborted || scope.signal.aborted ? "withdrawn" : "refused";
    },
    async readTextFile(file, signal) {
      using either = followEither(signal, ended.signal);
      return await files.read(file, either.signal);
    },
    async writeTextFile(file, signal) {
      using either = followEither(signal, ended.signal);
      return await files.write(file, either.signal);
    },
    async startTerminal(command, signal) {
      using either = followEither(signal, ended.signal);
      return await terminals.start(command, either.signal);
    },
    async end(reason) {
      text.endThought();
      ended.abort();
      await Promise.all([calls.end(reason), files.end(), terminals.end()]);
    },
    text: () => text.whole,
  };
}

/**
 * Creates a signal that aborts when one of two signals aborts. Disposing removes the listeners from the two
 * signals.
 */
function followEither(
  asker: StopSignal,
  turn: AbortSignal,
): Disposable & { readonly signal: AbortSignal } {
  const either = new AbortController();
  const follow = () => either.abort();
  if (asker.aborted || turn.aborted) follow();
  asker.addEventListener("abort", follow);
  turn.addEventListener("abort", follow);
  return {
    signal: either.signal,
    [Symbol.dispose]() {
      asker.removeEventListener("abort", follow);
      turn.removeEventListener("abort", follow);
    },
  };
}
