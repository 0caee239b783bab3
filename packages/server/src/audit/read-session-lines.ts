import type { StampedEvent } from "@dt/schema";
import type { LogEvent, SessionStore, StoredSession } from "../store/session-store.js";
import type { AuditLine } from "./audit-line.js";

/** Maximum number of events in one read. */
const PAGE_EVENTS = 200;
/** Approximate size of one read. */
const PAGE_BYTES = 1024 * 1024;

type Reader = Pick<SessionStore, "findSession" | "readEvents">;

/**
 * Reads who prompted and who answered in one session since a time, in the order of its log. Reads the whole log,
 * because times decrease in a log if the wall clock is set back.
 */
export async function* readSessionLines(
  store: Reader,
  contextId: string,
  since: string,
): AsyncGenerator<AuditLine> {
  const session = await store.findSession(contextId);
  if (session === undefined) return;
  let after = 0;
  for (;;) {
    const query = { contextId, after, limit: PAGE_EVENTS, maxBytes: PAGE_BYTES };
    const page = await store.readEvents(query);
    const last = page.at(-1);
    if (last === undefined) return;
    const recent = page.filter(({ event }) => event.at >= since);
    yield* recent.flatMap((logged) => toLine(logged, session));
    after = last.position;
  }
}

function toLine(
  { event, position }: LogEvent,
  { contextId, owner }: StoredSession,
): readonly AuditLine[] {
  const line = toContent(event);
  const { at, taskId } = event;
  return line === undefined ? [] : [{ at, ...line, owner, contextId, taskId, position }];
}

function toContent(event: StampedEvent): Omit<AuditLine, "at"> | undefined {
  if (event.kind === "USER_PROMPT") {
    const { origin, messageId } = event;
    return { kind: "prompt", user: origin.principal, name: origin.name, messageId };
  }
  if (event.kind !== "TOOL_CALL_UPDATE" || event.answer === undefined) return undefined;
  const { toolCall, answer } = event;
  const { origin } = answer;
  return {
    kind: "answer",
    ...(origin && { user: origin.principal, name: origin.name }),
    tool: toolCall.toolName,
    toolCallId: toolCall.toolCallId,
    option: answer.selectedOptionId,
  };
}
