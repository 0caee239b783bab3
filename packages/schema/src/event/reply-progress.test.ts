import fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolCall } from "../gen/development_tool/tool_call.js";
import { buildEvent } from "../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../testing/build-tool-call.js";
import type { SessionEvent } from "./agent-event.js";
import { type Part, textOf } from "./part.js";
import { joinParts } from "./reduce-artifacts.js";
import { reduceTaskView } from "./reduce-task-view.js";
import {
  advanceReply,
  type ReplyProgress,
  replyIn,
  toFinalParts,
  toReplyParts,
} from "./reply-progress.js";
import { emptyTaskView } from "./task-view.js";

const say = (text: string, attachments?: readonly Part[]) =>
  buildEvent({ kind: "TEXT_CONTENT", text, ...(attachments && { attachments }) });
const enter = (state: SessionEvent["state"], statusParts?: readonly Part[]) =>
  buildEvent({ kind: "STATE_CHANGE", ...(statusParts && { statusParts }) }, { state });
const call = (status: "PENDING" | "EXECUTING" | "SUCCEEDED") =>
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) });
const promptAs = (messageId: string) =>
  buildEvent({
    kind: "USER_PROMPT",
    messageId,
    parts: [],
    origin: { principal: "ada", name: "" },
  });
const prompt = promptAs("m");
const answer = buildEvent({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ status: "EXECUTING" }),
  answer: { toolCallId: "call-1", selectedOptionId: "proceed_once", origin: undefined },
});
const question = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() });

/** Joins the chunks that a stream sends for these events. */
function replyOver(events: readonly SessionEvent[]): readonly Part[] {
  let progress: ReplyProgress | undefined;
  let parts: readonly Part[] = [];
  for (const event of events) {
    const isReplied = progress === "open" || progress === "paused";
    if (event.kind === "TEXT_CONTENT" && progress !== undefined) {
      const chunk = toReplyParts(event, progress);
      if (chunk.length > 0) parts = isReplied ? joinParts(parts, chunk) : chunk;
    }
    if (event.kind === "STATE_CHANGE") parts = joinParts(parts, toFinalParts(event, isReplied));
    if (event.kind === "USER_PROMPT") parts = [];
    if (event.kind === "TOOL_CALL_UPDATE" && event.answer !== undefined) parts = [];
    progress = advanceReply(progress, event);
  }
  return parts;
}

const foldAll = (events: readonly SessionEvent[]) =>
  events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));

test.each([
  ["all text of its turn", [say("a"), say("b")], "ab"],
  [
    "the text before and after a tool call",
    [say("a"), call("PENDING"), call("SUCCEEDED"), say("b")],
    "a\n\nb",
  ],
  ["the text before a question", [say("a"), question, enter("input-required")], "a"],
  [
    "only the text after an answer",
    [say("a"), question, enter("input-required"), answer, say("b")],
    "b",
  ],
  [
    "only the text after the last prompt",
    [say("a"), enter("completed"), promptAs("n"), say("b")],
    "b",
  ],
  [
    "its text and the text that came with the final state",
    [say("a"), enter("completed", [{ type: "text", text: "b" }])],
    "a\n\nb",
  ],
  [
    "its text without the text that came with input-required",
    [say("a"), enter("input-required", [{ type: "text", text: "b" }])],
    "a",
  ],
  ["the text after an empty text", [say(""), say("a")], "a"],
])("the reply consists of %s", (_, events, expected) => {
  const turn = [prompt, enter("working"), ...events];

  expect(textOf(replyIn(foldAll(turn)).parts)).toBe(expected);
  expect(textOf(replyOver(turn))).toBe(expected);
});

test("files and data of a reply follow the text that they came with", () => {
  const file: Part = { type: "file", bytes: "eA==", mediaType: "image/png" };
  const data: Part = { type: "data", data: { a: 1 } };
  const turn = [prompt, say("see ", [file]), say("below", [data]), say(" and above")];

  const parts = [{ type: "text", text: "see " }, file, { type: "text", text: "below" }, data];
  expect(replyOver(turn)).toEqual([...parts, { type: "text", text: " and above" }]);
  // A view joins the text of one item, so the files and data come after all of that text.
  expect(replyIn(foldAll(turn)).parts).toEqual([
    { type: "text", text: "see below and above" },
    file,
    data,
  ]);
});

test.each<[string, readonly SessionEvent[], ReplyProgress | undefined]>([
  ["undefined if the start of the turn is missing", [enter("working"), say("a")], undefined],
  ['"none" after a new task', [enter("submitted")], "none"],
  ['"none" after a prompt', [say("a"), prompt], "none"],
  ['"open" after text', [prompt, say("a")], "open"],
  ['"paused" after a new tool call', [prompt, say("a"), call("PENDING")], "paused"],
  ['"open" after an update of a running tool call', [prompt, say("a"), call("EXECUTING")], "open"],
  ['"none" after an answer', [prompt, say("a"), answer], "none"],
  ['"open" after text and a change of state', [prompt, say("a"), enter("auth-required")], "open"],
])("the progress of a reply is %s", (_, events, expected) => {
  const progress = events.reduce<ReplyProgress | undefined>(advanceReply, undefined);

  expect(progress).toBe(expected);
});

const session = fc.array(
  fc.constantFrom(
    say("a"),
    say(""),
    call("PENDING"),
    call("SUCCEEDED"),
    enter("working"),
    enter("completed"),
    "answered" as const,
    "cancelled" as const,
  ),
  { maxLength: 20 },
);

/**
 * Returns the given event, or the events of a question that is answered or cancelled. The id of the
 * question's tool call contains the index.
 */
function toEvents(move: SessionEvent | "answered" | "cancelled", index: number): SessionEvent[] {
  if (typeof move !== "string") return [move];
  const toolCallId = `question-${index}`;
  const update = (status: ToolCall["status"]) =>
    ({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ toolCallId, status }) }) as const;
  const asked = [buildEvent(update("PENDING")), enter("input-required")];
  const given = { toolCallId, selectedOptionId: "proceed_once", origin: undefined };
  return move === "cancelled"
    ? [...asked, buildEvent(update("CANCELLED"))]
    : [...asked, buildEvent({ ...update("EXECUTING"), answer: given })];
}

test("a stream and a view agree at any time on whether the reply has begun", () => {
  fc.assert(
    fc.property(session, (moves) => {
      const seen = [prompt, ...moves.flatMap(toEvents)];
      const progress = seen.reduce<ReplyProgress | undefined>(advanceReply, undefined);

      expect(replyIn(foldAll(seen)).progress === "none").toBe(progress === "none");
    }),
  );
});
