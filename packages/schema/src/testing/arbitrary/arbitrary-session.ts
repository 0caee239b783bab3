import fc from "fast-check";
import type { AgentEvent, EventHeader, SessionEvent } from "../../event/agent-event.js";
import type { TaskState } from "../../event/task-state.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { advanceToolCall, type ToolCallStep } from "../../tool-call/advance-tool-call.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import { buildQuestion, buildToolCall } from "../build-tool-call.js";
import { arbitraryEvents } from "./arbitrary-event.js";
import { arbitraryText } from "./arbitrary-json.js";

/** One move of the generated session. A move that is impossible in the current state is skipped. */
type Move =
  | { readonly type: "event"; readonly event: AgentEvent }
  | { readonly type: "call" | "ask" | "start" | "print" | "finish"; readonly pick: number }
  | { readonly type: "end"; readonly state: TaskState };

// The type is written out, because the union of all arbitraries is too complex for the compiler.
const otherEvents = fc.oneof<fc.Arbitrary<AgentEvent>[]>(
  arbitraryEvents.TEXT_CONTENT,
  arbitraryEvents.TEXT_CONTENT,
  arbitraryEvents.THOUGHT,
  arbitraryEvents.CITATION,
  arbitraryEvents.CONSOLE_LOG,
  arbitraryEvents.THOUGHT_SUMMARY,
  arbitraryEvents.AGENT_SETTINGS,
  arbitraryEvents.QUEUE,
  arbitraryEvents.TODOS,
  arbitraryEvents.USAGE,
  arbitraryEvents.MODE,
  arbitraryEvents.TITLE,
  arbitraryEvents.WARNING,
  arbitraryEvents.ACCESS,
  arbitraryEvents.BACKGROUND_PROCESS,
  arbitraryEvents.ARTIFACT,
  arbitraryEvents.UNKNOWN,
);

const arbitraryMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("event" as const), event: otherEvents }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom("call", "ask", "start", "start", "print", "print", "finish"),
      pick: fc.nat({ max: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("end" as const),
      state: fc.constantFrom("completed", "failed", "canceled", "rejected", "input-required"),
    }),
  },
);

/** Events of a whole task, in an order in which an agent may send them. */
export const arbitrarySession: fc.Arbitrary<readonly SessionEvent[]> = fc
  .tuple(fc.array(arbitraryMove, { maxLength: 40, size: "max" }), arbitraryText)
  .map(([moves, model]) => play(moves, model));

function play(moves: readonly Move[], model: string): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  const calls = new Map<string, ToolCall>();
  let state: TaskState = "submitted";
  let isIdle = true;

  const emit = (event: AgentEvent, header: Partial<EventHeader> = {}) => {
    const seq = events.length + 1;
    events.push({
      taskId: "task-1",
      contextId: "context-1",
      state,
      at: new Date(1_700_000_000_000 + seq).toISOString(),
      cursor: String(seq),
      ...(seq % 3 === 0 && { model }),
      ...(seq % 5 === 0 && {
        usage: { inputTokens: seq, outputTokens: 0, thoughtTokens: 1, cachedTokens: 0 },
      }),
      ...header,
      ...event,
    });
  };
  const emitLive = (event: AgentEvent) => {
    emit(event);
    const { cursor: _, ...live } = events[events.length - 1] as SessionEvent;
    events[events.length - 1] = live;
  };
  const enter = (next: TaskState, header: Partial<EventHeader> = {}) => {
    state = next;
    const waiting = [...calls.values()].filter(isWaiting);
    const isAsking = next === "input-required" && waiting.length > 0;
    emit({ kind: "STATE_CHANGE", ...(isAsking && { waiting }) }, header);
  };
  const advance = (call: ToolCall, step: ToolCallStep) => {
    const next = advanceToolCall(call, step);
    calls.set(call.toolCallId, next);
    if (next.status === "PENDING" || next.status === "EXECUTING") return next;
    calls.delete(call.toolCallId);
    return next;
  };
  const chosen = (pick: number, fits: (call: ToolCall) => boolean) => {
    const fitting = [...calls.values()].filter(fits);
    return fitting[pick % Math.max(fitting.length, 1)];
  };
  const begin = () => {
    emit({
      kind: "USER_PROMPT",
      messageId: `message-${events.length}`,
      parts: [{ type: "text", text: "go on" }],
      origin: { principal: "terminal", name: "" },
    });
    enter("working");
    isIdle = false;
  };

  for (const move of moves) {
    if (isIdle) begin();
    switch (move.type) {
      case "event":
        emit(move.event);
        break;
      case "call":
      case "ask": {
        const build = move.type === "ask" ? buildQuestion : buildToolCall;
        const toolCall = build({ toolCallId: `call-${events.length}` });
        calls.set(toolCall.toolCallId, toolCall);
        emit({ kind: "TOOL_CALL_UPDATE", toolCall });
        break;
      }
      case "start": {
        const call = chosen(move.pick, ({ status }) => status === "PENDING");
        if (call === undefined) break;
        if (!isWaiting(call)) {
          emit({ kind: "TOOL_CALL_UPDATE", toolCall: advance(call, { type: "start" }) });
          break;
        }
        enter("input-required");
        const answer = {
          toolCallId: call.toolCallId,
          selectedOptionId: "proceed_once",
          origin: { principal: "local", name: "IDE" },
        };
        const toolCall = advance(call, { type: "start" });
        emit({ kind: "TOOL_CALL_UPDATE", toolCall, answer });
        enter("working");
        break;
      }
      case "print": {
        const call = chosen(move.pick, ({ status }) => status === "EXECUTING");
        if (call === undefined) break;
        const toolCall = advance(call, { type: "print", liveContent: `${events.length} lines` });
        emitLive({ kind: "TOOL_CALL_UPDATE", toolCall });
        break;
      }
      case "finish": {
        const call = chosen(move.pick, () => true);
        if (call === undefined) break;
        const step: ToolCallStep =
          call.status === "EXECUTING"
            ? { type: "succeed", output: { result: { $case: "text", value: "done" } } }
            : { type: "fail", error: { message: "no such file" } };
        emit({ kind: "TOOL_CALL_UPDATE", toolCall: advance(call, step) });
        break;
      }
      case "end":
        for (const call of [...calls.values()]) {
          emit({ kind: "TOOL_CALL_UPDATE", toolCall: advance(call, { type: "cancel" }) });
        }
        enter(move.state, move.state === "failed" ? { error: "the model did not answer" } : {});
        isIdle = true;
        break;
    }
  }
  return events;
}
