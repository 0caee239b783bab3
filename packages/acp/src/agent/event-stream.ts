import {
  isOwnOrigin,
  isWaiting,
  openQuestions,
  type SessionEvent,
  type TaskView,
  type ToolCall,
} from "@dt/schema";
import { encodeUpdates, notice, type UpdateMemory } from "../mapping/update-table.js";
import type { EditorQuestions } from "./ask-editor.js";
import type { Editor } from "./editor.js";
import type { EditorSession } from "./editor-host.js";
import type { TurnBook } from "./turn-book.js";

/** Shows the events of a session to the editor. */
export interface EventStream {
  /** Shows everything that happened up to now. */
  replay(): Promise<void>;
  /** Asks the open questions, and shows each event from now on; resolves when the session is closed. */
  follow(view: TaskView): Promise<void>;
}

/** Options of {@link createEventStream}. */
export interface EventStreamOptions {
  readonly editor: Editor;
  readonly session: EditorSession;
  readonly questions: EditorQuestions;
  readonly turns: TurnBook;
  /** Aborts when the session is closed. */
  readonly signal: AbortSignal;
}

/** Number of replayed events whose cursors are remembered, so that `follow` does not show these events again. */
const MAX_REPLAYED = 5_000;

/** Kinds of events that are not shown in a silent turn, such as a change of the mode. */
const SPOKEN: readonly SessionEvent["kind"][] = ["TEXT_CONTENT", "THOUGHT", "THOUGHT_SUMMARY"];

/** Creates the stream. It collects events from now on, so that none is missed between `replay` and `follow`. */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { editor, session, questions, turns, signal } = options;
  const { face, directory } = session;
  const { contextId: sessionId, traits } = face;
  const events = face.events(signal);
  let memory: UpdateMemory = new Set();
  let replayed: string[] = [];
  /**
   * Open questions of the replay, by the id of their call. The first view lacks the questions that were asked
   * during the replay.
   */
  let asking = new Map<string, ToolCall>();

  const isOwn = (origin: Parameters<typeof isOwnOrigin>[1]) => isOwnOrigin(traits, origin);
  const context = {
    directory,
    showsNotices: editor.showsNotices,
    isOwn,
    notesOn: questions.notesOn,
  };

  async function show(event: SessionEvent, isExpected: boolean): Promise<void> {
    const encoded = encodeUpdates(memory, event, { ...context, isShown: () => isExpected });
    memory = encoded.memory;
    await editor.show(sessionId, encoded.updates);
  }

  async function followEvent(event: SessionEvent): Promise<void> {
    const isAwaited = turns.isWaiting;
    const { isExpected, isSilent, settle } = turns.follow(event);
    if (!isSilent || !SPOKEN.includes(event.kind)) await show(event, isExpected);
    if (event.kind === "TOOL_CALL_UPDATE") questions.follow(event.toolCall);
    // If the editor waits for a turn, the reply to its prompt contains the error. Otherwise a notice shows it.
    if (event.kind === "STATE_CHANGE" && event.error !== undefined && !isAwaited) {
      await editor.show(sessionId, notice("error", event.error, context));
    }
    settle();
  }

  /** Asks a question that was open before. Shows its call first, if the replay has not shown the call. */
  async function askAgain(question: ToolCall, { taskId, state, at }: TaskView): Promise<void> {
    const header = { taskId, contextId: sessionId, state, at };
    if (!memory.has(question.toolCallId)) {
      await show({ kind: "TOOL_CALL_UPDATE", toolCall: question, ...header }, false);
    }
    questions.follow(question);
  }

  async function replayEvent(event: SessionEvent): Promise<void> {
    await show(event, false);
    if (event.kind !== "TOOL_CALL_UPDATE") return;
    const { toolCall } = event;
    if (isWaiting(toolCall)) asking.set(toolCall.toolCallId, toolCall);
    else asking.delete(toolCall.toolCallId);
  }

  return {
    async replay() {
      memory = new Set();
      for await (const page of face.history(signal)) {
        for (const event of page) await replayEvent(event);
        const cursors = page.flatMap(({ cursor }) => cursor ?? []);
        replayed = [...replayed, ...cursors].slice(-MAX_REPLAYED);
      }
    },
    async follow(view) {
      const known = new Set(replayed);
      replayed = [];
      for (const question of openQuestions(view)) await askAgain(question, view);
      for (const question of asking.values()) questions.follow(question);
      asking = new Map();
      for await (const batch of events) {
        for (const event of batch) {
          if (event.cursor === undefined || !known.has(event.cursor)) await followEvent(event);
        }
      }
    },
  };
}
