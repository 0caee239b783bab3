import type {
  Artifact,
  EventHeader,
  openQuestions,
  SessionEvent,
  TaskView,
  ToolCall,
  ViewItem,
} from "@dt/schema";

/**
 * Computes the events between a known view of a task and a later snapshot, as far as two views
 * allow. Text arrives in one piece, and a tool call in its current state.
 *
 * If the snapshot contains no known item, new text cannot be distinguished from known text. Text
 * then has no events, and only the view shows it. Tool calls and the state always have events.
 *
 * `questionsOf` is schema's {@link openQuestions}. The caller passes it, so that this module imports no
 * code. This module is loaded on demand, and an import would make a bundler split the code that every
 * page loads.
 */
export function eventsBetween(
  known: TaskView,
  next: TaskView,
  questionsOf: typeof openQuestions,
): readonly SessionEvent[] {
  const { taskId, contextId, state } = next;
  const waiting = questionsOf(next);
  const isSame =
    known.taskId === taskId && known.state === state && areSameCalls(questionsOf(known), waiting);
  // Only the change of state ends the task. With its new state in an earlier event, a loop could end before it has
  // read the other missed events.
  const isRunning = state === "submitted" || state === "working";
  const stateBefore = isSame || isRunning ? state : "working";
  const headerAt = (at: string): EventHeader => ({
    taskId,
    contextId,
    state: stateBefore,
    at: at || next.at,
  });
  const [before, after] = [joinText(known.items), joinText(next.items)];
  const missed = missedItems(before, after).map(
    ({ at, event }): SessionEvent => ({ ...event, ...headerAt(at) }),
  );
  const artifacts = (next.artifacts ?? [])
    .filter((artifact) => !known.artifacts?.some((each) => isSameJson(each, artifact)))
    .map((artifact): SessionEvent => ({ kind: "ARTIFACT", artifact, ...headerAt(next.at) }));
  // The state and its questions are known already.
  if (isSame) return [...missed, ...artifacts];
  const { cursor, model, usage, error, statusParts } = next;
  return [
    ...missed,
    ...artifacts,
    {
      kind: "STATE_CHANGE",
      ...headerAt(next.at),
      state,
      ...(waiting.length > 0 && { waiting }),
      ...(statusParts !== undefined && { statusParts }),
      ...(cursor !== undefined && { cursor }),
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
      ...(error !== undefined && { error }),
    },
  ];
}

/** Returns true if a snapshot contains a known item, or if no item is known yet. */
export function reachesBack(known: TaskView, next: TaskView): boolean {
  const before = joinText(known.items);
  return before.length === 0 || findLastSeen(before, joinText(next.items)) !== undefined;
}

function missedItems(before: readonly ViewItem[], after: readonly ViewItem[]): readonly ViewItem[] {
  const seen = findLastSeen(before, after);
  if (seen === undefined) {
    return before.length === 0 ? after : after.filter((item) => hasNewCall(item, before));
  }
  const changed = after.slice(0, seen.end).filter((item) => hasNewCall(item, before));
  return [...changed, ...seen.rest, ...after.slice(seen.end)];
}

/** Finds the last known item in a snapshot, and the text that was added to it. */
function findLastSeen(
  before: readonly ViewItem[],
  after: readonly ViewItem[],
): { readonly end: number; readonly rest: readonly ViewItem[] } | undefined {
  for (const last of [...before].reverse()) {
    const index = after.findLastIndex((item) => isSameItem(last, item));
    const found = after[index];
    if (found === undefined) continue;
    return { end: index + 1, rest: restOf(last, found) };
  }
  return undefined;
}

function isSameItem({ event: known }: ViewItem, { event: next }: ViewItem): boolean {
  switch (known.kind) {
    case "TEXT_CONTENT":
      return next.kind === "TEXT_CONTENT" && next.text.startsWith(known.text);
    case "TOOL_CALL_UPDATE":
      return (
        next.kind === "TOOL_CALL_UPDATE" && next.toolCall.toolCallId === known.toolCall.toolCallId
      );
    case "USER_PROMPT":
      return next.kind === "USER_PROMPT" && next.messageId === known.messageId;
    default:
      return JSON.stringify(known) === JSON.stringify(next);
  }
}

function restOf({ event: known }: ViewItem, { at, event: next }: ViewItem): readonly ViewItem[] {
  if (known.kind !== "TEXT_CONTENT" || next.kind !== "TEXT_CONTENT") return [];
  const text = next.text.slice(known.text.length);
  return text === "" ? [] : [{ at, event: { kind: "TEXT_CONTENT", text } }];
}

function hasNewCall({ event }: ViewItem, before: readonly ViewItem[]): boolean {
  if (event.kind !== "TOOL_CALL_UPDATE") return false;
  const { toolCall } = event;
  const known = before.findLast(
    (item) =>
      item.event.kind === "TOOL_CALL_UPDATE" &&
      item.event.toolCall.toolCallId === toolCall.toolCallId,
  );
  return known?.event.kind !== "TOOL_CALL_UPDATE" || !isSameJson(known.event.toolCall, toolCall);
}

function areSameCalls(known: readonly ToolCall[], next: readonly ToolCall[]): boolean {
  return known.length === next.length && known.every((call, at) => isSameJson(call, next[at]));
}

function isSameJson(known: ToolCall | Artifact, next: ToolCall | Artifact | undefined): boolean {
  return JSON.stringify(known) === JSON.stringify(next);
}

// Joins consecutive items of text, because some agents store each piece of text as a message.
function joinText(items: readonly ViewItem[]): readonly ViewItem[] {
  const joined: ViewItem[] = [];
  for (const item of items) {
    const last = joined.at(-1)?.event;
    if (item.event.kind === "TEXT_CONTENT" && last?.kind === "TEXT_CONTENT") {
      const text = last.text + item.event.text;
      joined[joined.length - 1] = { at: item.at, event: { ...last, text } };
    } else joined.push(item);
  }
  return joined;
}
