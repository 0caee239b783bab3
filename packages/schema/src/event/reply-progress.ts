import type { SessionEvent } from "./agent-event.js";
import type { Part } from "./part.js";
import { joinParts } from "./reduce-artifacts.js";
import { isTerminalState } from "./task-state.js";
import type { TaskView } from "./task-view.js";

/**
 * Progress of the agent's reply to the last message of a client. "none" means that the reply has no text
 * yet. "open" means that the next text continues the last text. "paused" means that another item, such as a
 * thought or a new tool call, came after the last text.
 */
export type ReplyProgress = "none" | "open" | "paused";

/** Separates two pieces of a reply if the reply was paused between them. */
const GAP = "\n\n";

/**
 * Advances the progress of a reply by one event of its task. The progress is undefined until a
 * prompt, an answer or a new task was seen. The progress depends only on events since the last
 * message, so all streams of a task have the same progress. {@link replyIn} returns the same
 * progress too, except if the agent sends text between a question and its answer.
 */
export function advanceReply(
  progress: ReplyProgress | undefined,
  event: SessionEvent,
): ReplyProgress | undefined {
  switch (event.kind) {
    case "TEXT_CONTENT":
      return progress === undefined || !hasContent(event) ? progress : "open";
    case "USER_PROMPT":
      return "none";
    case "STATE_CHANGE":
      return event.state === "submitted" ? "none" : progress;
    case "TOOL_CALL_UPDATE":
      // An answer is a message of a client, so a new reply begins. A new call interrupts the reply.
      if (event.answer !== undefined) return "none";
      return event.toolCall.status === "PENDING" ? pause(progress) : progress;
    case "THOUGHT":
    case "THOUGHT_SUMMARY":
    case "CITATION":
    case "CONSOLE_LOG":
    case "UNKNOWN":
      return pause(progress);
    default:
      // Events of other kinds do not interrupt the reply.
      return progress;
  }
}

function pause(progress: ReplyProgress | undefined): ReplyProgress | undefined {
  return progress === "open" ? "paused" : progress;
}

/**
 * Returns the parts to append to the reply for a piece of text. If the reply was paused, the text begins
 * with a gap.
 */
export function toReplyParts(
  { text, attachments = [] }: { readonly text: string; readonly attachments?: readonly Part[] },
  progress: ReplyProgress,
): readonly Part[] {
  const whole = progress === "paused" ? `${GAP}${text}` : text;
  return text === "" ? attachments : [{ type: "text", text: whole }, ...attachments];
}

/**
 * Returns the parts that came with a terminal state, because they end the reply. Returns an empty list for
 * other states.
 */
export function toFinalParts(
  { state, statusParts = [] }: Pick<TaskView, "state" | "statusParts">,
  isReplied: boolean,
): readonly Part[] {
  if (!isTerminalState(state)) return [];
  const [first, ...rest] = statusParts;
  if (!isReplied || first?.type !== "text") return statusParts;
  return [{ ...first, text: `${GAP}${first.text}` }, ...rest];
}

/**
 * Returns the progress and the parts of the reply to the last message, as far as the view still has the
 * items of the reply.
 */
export function replyIn(view: TaskView): {
  readonly parts: readonly Part[];
  readonly progress: ReplyProgress;
} {
  const { items, isTextOpen } = view;
  const message = items.findLastIndex(({ event }) => {
    if (event.kind === "TOOL_CALL_UPDATE") return event.answer !== undefined;
    return event.kind === "USER_PROMPT";
  });
  let parts: readonly Part[] = [];
  for (const { event } of items.slice(message + 1)) {
    if (event.kind !== "TEXT_CONTENT") continue;
    parts = joinParts(parts, toReplyParts(event, parts.length === 0 ? "none" : "paused"));
  }
  const progress = parts.length === 0 ? "none" : isTextOpen ? "open" : "paused";
  return { parts: joinParts(parts, toFinalParts(view, parts.length > 0)), progress };
}

function hasContent({
  text,
  attachments = [],
}: {
  readonly text: string;
  readonly attachments?: readonly Part[];
}): boolean {
  return text !== "" || attachments.length > 0;
}
