import { randomUUID } from "node:crypto";
import {
  type Caller,
  type ModesReply,
  type Origin,
  reduceSessionView,
  type SessionEvent,
  type TaskView,
  type ToolCallConfirmation,
} from "@dt/schema";
import type { LiveSession } from "@dt/server";
import { promptParts } from "../prompt/read-mentions.js";
import type { AnswerGate } from "./answer-gate.js";
import type { ScreenAnswer, ScreenSession, SessionStatus } from "./screen-session.js";

/** The person at this terminal; the credential lasts as long as the process. */
export const TERMINAL_CALLER = {
  user: "terminal",
  name: "terminal",
  credential: "terminal",
  role: "admin",
} as const satisfies Caller;

/** What a local session stands on. */
export interface LocalSessionOptions {
  readonly live: LiveSession;
  /** What others' answers wait at. */
  readonly gate: AnswerGate;
  /** The directory whose files prompts may name. */
  readonly directory: string;
  /** What surrounds the conversation, as it is now. */
  status(modes: ModesReply): Omit<SessionStatus, "trouble">;
  /** Sees every event that is logged or shown live, once, in order. */
  onEvent?(event: SessionEvent): void;
}

/** A session of this process that a screen can draw. */
export interface LocalSession extends ScreenSession {
  /** Tells the screen that the status has changed. */
  notify(): Promise<void>;
}

const pageSize = 500;

/** Watches a live session for a screen, from what it is now on. */
export async function openLocalSession(options: LocalSessionOptions): Promise<LocalSession> {
  const { live, gate, onEvent } = options;
  const { agent, taskId } = live;
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let view: TaskView = await live.view();
  let trouble: string | undefined;
  let commands = await agent.listCommands(TERMINAL_CALLER);
  let modes = await agent.getModes(TERMINAL_CALLER);
  let sending: Promise<void> = Promise.resolve();

  function notify(): void {
    for (const listener of [...listeners]) listener();
  }

  /** Reads the commands and modes again; a turn or a client may have changed them. */
  async function refresh(): Promise<void> {
    const before = JSON.stringify(modes);
    try {
      [commands, modes] = await Promise.all([
        agent.listCommands(TERMINAL_CALLER),
        agent.getModes(TERMINAL_CALLER),
      ]);
    } catch {
      // The session is closed or being opened anew: what is known of it stays.
    }
    if (JSON.stringify(modes) !== before) notify();
  }

  async function watch(): Promise<void> {
    const from = view.cursor === undefined ? {} : { after: view.cursor };
    for await (const batch of live.events({ ...from, signal: closing.signal })) {
      for (const event of batch) {
        view = reduceSessionView(view, event);
        onEvent?.(event);
        notify();
      }
      await refresh();
    }
  }

  const watching = watch().catch((reason: unknown) => {
    trouble = reason instanceof Error ? reason.message : String(reason);
    notify();
  });

  return {
    view: () => view,
    generation: 1,
    status: () => ({
      ...options.status(modes),
      ...(trouble !== undefined && { trouble }),
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async notify() {
      await refresh();
      notify();
    },
    isOwn: ({ principal }: Origin) => principal === TERMINAL_CALLER.user,
    commands: () => commands,
    prompt(text) {
      const messageId = randomUUID();
      // What was typed first comes first, however long the files that it names are read.
      const sent = sending.then(async () => {
        const parts = await promptParts(text, options.directory);
        await agent.prompt({ messageId, taskId, parts }, TERMINAL_CALLER);
      });
      sending = sent.catch(() => {});
      return sent;
    },
    withdraw: (messageId) => agent.withdraw(messageId, TERMINAL_CALLER),
    async runCommand(command) {
      const ids = { messageId: randomUUID(), taskId };
      const { ticket, message } = await agent.runCommand({ ...ids, ...command }, TERMINAL_CALLER);
      return ticket === undefined ? message : undefined;
    },
    async answer(toolCallId, answer) {
      const [verdict] = await gate.pass(toolCallId, () =>
        agent.answer({ answers: [toConfirmation(toolCallId, answer)] }, TERMINAL_CALLER),
      );
      if (verdict === undefined) throw new Error("the agent gave no verdict on the answer");
      if (verdict.accepted) return { accepted: true };
      if (verdict.reason === "unknown") {
        return { accepted: false, reason: "the question is not open any more" };
      }
      const { name, principal } = verdict.answeredBy;
      const reason = `${name || principal} answered first: ${verdict.selectedOptionId}`;
      return { accepted: false, reason };
    },
    holdAnswer: (toolCallId) => gate.holdKey(toolCallId),
    async cancel() {
      await agent.cancel(taskId, TERMINAL_CALLER);
      // What waits has its turn next.
      return [];
    },
    async *history(signal) {
      let after: string | undefined;
      while (!signal.aborted) {
        const from = after === undefined ? {} : { after };
        const page = await live.readEvents({ ...from, limit: pageSize });
        if (page.length > 0) yield page;
        if (page.length < pageSize) return;
        after = page.at(-1)?.cursor;
      }
    },
    async close() {
      // Its end belongs to those who watch, this screen among them.
      await live.close();
      closing.abort();
      await watching;
    },
  };
}

function toConfirmation(toolCallId: string, answer: ScreenAnswer): ToolCallConfirmation {
  return {
    toolCallId,
    selectedOptionId: answer.optionId,
    modifiedDetails:
      "newContent" in answer
        ? { $case: "fileDetails", value: { newContent: answer.newContent } }
        : undefined,
  };
}
