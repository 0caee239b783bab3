import { isTerminalState, type SessionEvent, type TaskView } from "@dt/schema";
import { hasCode } from "../errors/has-code.js";
import { linkSignals, untilAborted } from "../transport/abort-signals.js";
import { sleep } from "../transport/reconnect.js";
import type { TaskChannel } from "./channel/agent-channel.js";
import {
  type ConversationReader,
  promptIdsIn,
  type ReaderOptions,
  type ReadOptions,
} from "./session/conversation-reader.js";
import { createTaskSequence, type SequencePosition } from "./session/task-sequence.js";
import { createUnseenPrompts } from "./session/unseen-prompts.js";

/** Pauses between the polls for the turn of an accepted prompt. After the last pause, the loop ends. */
const PROMPT_WAITS_MS = [10, 20, 50, 100, 200, 500, 1_000];

/** Reads a conversation task by task: the first task, and then the tasks that this handle prompted. */
export function createTaskReader(
  channel: Pick<TaskChannel, "follow" | "repeatsPrompts">,
  { closing, whenSent }: ReaderOptions,
  start: TaskView,
): ConversationReader {
  const sequence = createTaskSequence(start);
  const firstPromptIds = new Set(promptIdsIn(start));
  const unseen = createUnseenPrompts();
  let prompts = 0;

  async function* read({ after, signal }: ReadOptions = {}) {
    const link = linkSignals(closing, signal);
    let waits = 0;
    try {
      let at: SequencePosition =
        after === undefined ? sequence.position : { ...sequence.position, cursor: after };
      let from = at.cursor;
      while (!link.signal.aborted) {
        const promptsBefore = prompts;
        try {
          for await (const update of channel.follow(sequence.taskAt(at), from, signal)) {
            waits = 0;
            if (update.type === "event") unseen.apply(update.event);
            const events = sequence.apply(update, at);
            const { cursor } = update.type === "event" ? update.event : update.view;
            at = { ...at, cursor: cursor ?? at.cursor };
            // Without `after`, events of prompts that the first view contains are left out.
            yield* after === undefined ? events.filter((event) => !isInFirstView(event)) : events;
          }
        } catch (reason) {
          // If the agent has lost the cursor, the loop continues from a snapshot. All other errors are
          // thrown, including the error for a cursor that the caller passed.
          if (from === undefined || from === after || !hasCode(reason, "cursor-not-found")) {
            throw reason;
          }
          from = undefined;
          continue;
        }
        const next = sequence.findNext(at);
        at = next ?? at;
        from = at.cursor;
        // The conversation has another task, or a prompt was sent meanwhile, so more events follow.
        if (next !== undefined || prompts !== promptsBefore) continue;
        // If a prompt is being sent, the loop waits. It continues if the agent accepts the prompt.
        await untilAborted(whenSent(), link.signal).catch(() => {});
        if (prompts !== promptsBefore) continue;
        // If a prompt waited for the end of this turn, its own turn is about to begin, so the loop polls
        // for it.
        const pauseMs = unseen.size === 0 ? undefined : PROMPT_WAITS_MS[waits];
        if (pauseMs === undefined) return;
        waits += 1;
        await sleep(pauseMs, link.signal);
      }
    } finally {
      link.release();
    }
  }

  function isInFirstView(event: SessionEvent): boolean {
    return event.kind === "USER_PROMPT" && firstPromptIds.has(event.messageId);
  }

  return {
    get view() {
      return sequence.view;
    },
    get taskId() {
      return sequence.taskId;
    },
    get isEnded() {
      const { state, taskId } = sequence.view;
      return isTerminalState(state) && taskId === sequence.taskId;
    },
    onChange: sequence.onChange,
    read,
    sent(next, before) {
      prompts += 1;
      if (next.taskId !== sequence.taskId) {
        sequence.add(next);
        return;
      }
      sequence.showState(next.state, before);
      if (channel.repeatsPrompts === true) unseen.expect(next, sequence.view);
    },
  };
}
