import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolCall, ToolCallStatus } from "../gen/development_tool/tool_call.js";
import { arbitraryMessage } from "../testing/arbitrary/arbitrary-message.js";
import { buildQuestion, buildToolCall } from "../testing/build-tool-call.js";
import { ALLOWED_FROM, advanceToolCall, type ToolCallStep } from "./advance-tool-call.js";
import { buildConfirmationOptions, isGrant } from "./confirmation-options.js";
import { isTerminalStatus, isWaiting } from "./tool-call-status.js";

const output = { result: { $case: "text", value: "written" } } as const;
const error = { message: "disk full", type: "write_failure", statusCode: 28 };
const request = buildQuestion().confirmationRequest!;

const steps = {
  ask: { type: "ask", request },
  settle: { type: "settle" },
  start: { type: "start" },
  print: { type: "print", liveContent: "1 of 2" },
  succeed: { type: "succeed", output },
  fail: { type: "fail", error },
  cancel: { type: "cancel" },
} as const satisfies Record<ToolCallStep["type"], ToolCallStep>;

// Status after each step from each status; "" marks a step that must be refused.
const moves: Readonly<
  Record<ToolCallStatus, Readonly<Record<ToolCallStep["type"], ToolCallStatus | "">>>
> = {
  STATUS_UNSPECIFIED: refusals(),
  PENDING: {
    ask: "PENDING",
    settle: "PENDING",
    start: "EXECUTING",
    print: "",
    succeed: "",
    fail: "FAILED",
    cancel: "CANCELLED",
  },
  EXECUTING: {
    ask: "",
    settle: "",
    start: "",
    print: "EXECUTING",
    succeed: "SUCCEEDED",
    fail: "FAILED",
    cancel: "CANCELLED",
  },
  SUCCEEDED: refusals(),
  FAILED: refusals(),
  CANCELLED: refusals(),
};

const rows = Object.entries(moves).flatMap(([status, row]) =>
  Object.entries(row).map(
    ([step, next]) => [status as ToolCallStatus, step as ToolCallStep["type"], next] as const,
  ),
);

describe("the table of moves", () => {
  test.each(rows.filter(([, , next]) => next !== ""))(
    "a call that is %s can %s and is then %s [RFC-11]",
    (status, step, next) => {
      expect(advanceToolCall(buildToolCall({ status }), steps[step]).status).toBe(next);
    },
  );

  test.each(rows.filter(([, , next]) => next === ""))(
    "a call that is %s cannot %s [RFC-11]",
    (status, step) => {
      expect(ALLOWED_FROM[step]).not.toContain(status);
      expect(() => advanceToolCall(buildToolCall({ status }), steps[step])).toThrow(
        `cannot ${step} tool call call-1 while it is ${status}`,
      );
    },
  );
});

describe("steps of a tool call", () => {
  const executing = buildToolCall({ status: "EXECUTING", liveContent: "1 of 2" });

  test.each<[string, ToolCall, ToolCallStep, ToolCall]>([
    ["the step ask adds the question [RFC-14]", buildToolCall(), steps.ask, buildQuestion()],
    ["the step settle removes the question", buildQuestion(), steps.settle, buildToolCall()],
    [
      "the step start removes the question",
      buildQuestion(),
      steps.start,
      buildToolCall({ status: "EXECUTING" }),
    ],
    [
      "the step start sets the input that the user edited [RFC-21]",
      buildQuestion(),
      { type: "start", inputParameters: { content: "mine" } },
      buildToolCall({ status: "EXECUTING", inputParameters: { content: "mine" } }),
    ],
    [
      "the step settle sets the input that the user edited [RFC-21]",
      buildQuestion(),
      { type: "settle", inputParameters: { content: "mine" } },
      buildToolCall({ inputParameters: { content: "mine" } }),
    ],
    [
      "the step print replaces the live output [RFC-12]",
      executing,
      { type: "print", liveContent: "2 of 2" },
      { ...executing, liveContent: "2 of 2" },
    ],
    [
      "the step succeed replaces the live output by the result [RFC-12] [RFC-13]",
      executing,
      steps.succeed,
      buildToolCall({ status: "SUCCEEDED", result: { $case: "output", value: output } }),
    ],
    [
      "the step fail replaces the live output by the error [RFC-12] [RFC-13]",
      executing,
      steps.fail,
      buildToolCall({ status: "FAILED", result: { $case: "error", value: error } }),
    ],
    [
      "the step cancel removes the live output [RFC-12]",
      executing,
      steps.cancel,
      buildToolCall({ status: "CANCELLED" }),
    ],
    [
      "the step fail removes the question",
      buildQuestion(),
      steps.fail,
      buildToolCall({ status: "FAILED", result: { $case: "error", value: error } }),
    ],
    [
      "the step cancel removes the question",
      buildQuestion(),
      steps.cancel,
      buildToolCall({ status: "CANCELLED" }),
    ],
  ])("%s", (_, call, step, expected) => {
    expect(advanceToolCall(call, step)).toStrictEqual(expected);
  });

  test("advanceToolCall does not mutate the given call [RFC-10]", () => {
    const call = Object.freeze(buildQuestion());

    advanceToolCall(call, steps.start);

    expect(call).toEqual(buildQuestion());
  });
});

// The transitions of RFC 3.2, Tool Call Lifecycle, written independently of the code.
const lifecycle: Readonly<Record<string, readonly string[]>> = {
  PENDING: ["PENDING", "EXECUTING", "CANCELLED", "FAILED"],
  EXECUTING: ["EXECUTING", "SUCCEEDED", "FAILED", "CANCELLED"],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
};

const arbitraryStep: fc.Arbitrary<ToolCallStep> = fc.oneof(
  fc.record({
    type: fc.constant("ask" as const),
    request: arbitraryMessage("ConfirmationRequest"),
  }),
  fc.constantFrom(steps.settle, steps.start, steps.cancel),
  fc.record({ type: fc.constant("print" as const), liveContent: fc.string() }),
  fc.record({ type: fc.constant("succeed" as const), output: arbitraryMessage("ToolOutput") }),
  fc.record({ type: fc.constant("fail" as const), error: arbitraryMessage("ErrorDetails") }),
);

test("every sequence of steps follows the lifecycle [RFC-11] [RFC-12] [RFC-14]", () => {
  fc.assert(
    fc.property(fc.array(arbitraryStep, { maxLength: 12 }), (sequence) => {
      let call = buildToolCall();
      for (const step of sequence) {
        const next = attempt(call, step);
        if (next === undefined) continue;
        expect(lifecycle[call.status]).toContain(next.status);
        call = next;
        if (call.status !== "PENDING") expect(call).not.toHaveProperty("confirmationRequest");
        if (call.status !== "EXECUTING") expect(call).not.toHaveProperty("liveContent");
        expect(call.result?.$case).toBe(
          { SUCCEEDED: "output", FAILED: "error" }[call.status as string],
        );
      }
    }),
    { numRuns: 500 },
  );
});

test("a call waits while it is PENDING with a question, and ends in three ways [RFC-14]", () => {
  const statuses = Object.keys(moves) as ToolCallStatus[];

  expect(isWaiting(buildQuestion())).toBe(true);
  expect(isWaiting(buildToolCall())).toBe(false);
  expect(isWaiting(buildQuestion({ status: "EXECUTING" }))).toBe(false);
  expect(statuses.filter(isTerminalStatus)).toEqual(["SUCCEEDED", "FAILED", "CANCELLED"]);
});

test("only two options of a question let the tool run [RFC-14]", () => {
  const options = buildConfirmationOptions("all edits");

  expect(options).toStrictEqual([
    { id: "proceed_once", name: "Allow once" },
    { id: "proceed_always", name: "Always allow", description: "all edits" },
    { id: "cancel", name: "Reject" },
  ]);
  expect(options.map(({ id }) => isGrant(id))).toEqual([true, true, false]);
  expect(isGrant("PROCEED_ONCE")).toBe(false);
  expect(isGrant("")).toBe(false);
});

function attempt(call: ToolCall, step: ToolCallStep): ToolCall | undefined {
  try {
    return advanceToolCall(call, step);
  } catch {
    return undefined;
  }
}

function refusals(): Readonly<Record<ToolCallStep["type"], "">> {
  return { ask: "", settle: "", start: "", print: "", succeed: "", fail: "", cancel: "" };
}
