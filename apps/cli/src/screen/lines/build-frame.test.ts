import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import { buildEvent, buildQuestion, buildToolCall } from "@dt/schema/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EMPTY_TRANSCRIPT } from "../../history/advance-transcript.js";
import { textAtEnd } from "../../prompt/edit-text.js";
import { plainText } from "../../text/span.js";
import { textWidth } from "../../text/text-width.js";
import {
  INITIAL_SCREEN_STATE,
  menuOf,
  withQuestion,
  withShownQuestion,
} from "../state/screen-state.js";
import { buildFrame, type Frame, type FrameInput } from "./build-frame.js";
import { statusLines } from "./status-lines.js";

const ORIGIN = { principal: "local", name: "IDE" };
const DIFF = Array.from({ length: 60 }, (_, index) => `+line ${index}`).join("\n");
const QUESTION = buildQuestion({
  confirmationRequest: {
    options: buildQuestion().confirmationRequest?.options ?? [],
    details: {
      $case: "fileEditDetails",
      value: { fileName: "a", filePath: "/w/a", newContent: "", formattedDiff: DIFF },
    },
  },
});
const EVENTS: readonly SessionEvent[] = [
  buildEvent({ kind: "STATE_CHANGE" }, { state: "working" }),
  buildEvent({ kind: "TEXT_CONTENT", text: "words ".repeat(300) }),
  buildEvent({
    kind: "TOOL_CALL_UPDATE",
    toolCall: buildToolCall({
      toolCallId: "runs",
      status: "EXECUTING",
      liveContent: "out\n".repeat(50),
    }),
  }),
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: QUESTION }),
  buildEvent({
    kind: "QUEUE",
    prompts: Array.from({ length: 9 }, (_, index) => ({
      messageId: `${index}`,
      text: `next ${index} ${"long ".repeat(40)}`,
      origin: ORIGIN,
    })),
  }),
];

function inputOf(count: number, overrides: Partial<FrameInput> = {}): FrameInput {
  const view: TaskView = EVENTS.slice(0, count).reduce(
    reduceTaskView,
    emptyTaskView("task-1", "context-1"),
  );
  return {
    view,
    transcript: EMPTY_TRANSCRIPT,
    state: withShownQuestion(
      withQuestion(
        INITIAL_SCREEN_STATE,
        view.openCalls.find((call) => call.confirmationRequest),
      ),
      { isShown: true, isCut: false },
      0,
    ),
    now: 1000,
    status: {
      model: "offline",
      mode: "default",
      endpoint: "http://127.0.0.1:41242/",
      clients: 2,
    },
    menu: undefined,
    size: { columns: 80, rows: 24 },
    hasFiles: true,
    canWithdraw: true,
    spinner: "⠋",
    busyMs: 1500,
    isOwn: ({ principal }) => principal === "terminal",
    durationMs: () => 1000,
    ...overrides,
  };
}

function linesOf({ activity, dialog, queue, prompt, menu, status }: Frame): readonly string[] {
  return [...activity, ...dialog, ...queue, ...prompt, ...menu, ...status].map(plainText);
}

test("a frame always has fewer rows than the terminal and is never wider", () => {
  const size = fc.record({
    columns: fc.integer({ min: 20, max: 140 }),
    rows: fc.integer({ min: 1, max: 60 }),
  });
  const typed = fc.constantFrom("", "/", "long ".repeat(60), "a\n".repeat(30), "漢字".repeat(50));
  const commands = Array.from({ length: 12 }, (_, index) => ({
    name: `command-${index}`,
    description: "does something that takes some words to say",
    arguments: [{ name: "what", description: "which one", isRequired: true }],
    subCommands: [],
  }));
  fc.assert(
    fc.property(size, fc.integer({ min: 0, max: 5 }), typed, (terminal, count, text) => {
      const base = inputOf(count, { size: terminal });
      const state = { ...base.state, edit: textAtEnd(text) };
      const lines = linesOf(buildFrame({ ...base, state, menu: menuOf(state, commands) }));
      expect(lines.length).toBeLessThan(terminal.rows);
      expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(terminal.columns);
    }),
    { numRuns: 300 },
  );
});

test("a dialog shows all its options even if its details are long", () => {
  const lines = linesOf(buildFrame(inputOf(4)));

  for (const part of ["Allow", "› 1 Allow once", "  3 Reject", "more lines (Ctrl-O shows all)"]) {
    expect(lines.join("\n")).toContain(part);
  }
});

test.each([
  [60, 12],
  [80, 9],
  [20, 12],
  [80, 6],
])("a %i×%i terminal shows the question and the chosen option of a dialog", (columns, rows) => {
  const frame = buildFrame(inputOf(5, { size: { columns, rows } }));
  const text = linesOf(frame).join("\n");

  expect(frame.visibility.isShown).toBe(true);
  for (const part of ["Allow ", "/w/a", "› 1 Allow once"]) expect(text).toContain(part);
});

test("a dialog that does not fit is replaced by a notice", () => {
  const frame = buildFrame(inputOf(5, { size: { columns: 80, rows: 5 } }));

  expect(frame.visibility).toEqual({ isShown: false, isCut: true });
  expect(linesOf(frame)).toContain("make the window larger, or press Ctrl-O to see the question");
});

const COMMAND = `echo harmless ${"x".repeat(60)}; echo DANGER > danger.txt`;
const EXECUTE = buildQuestion({
  confirmationRequest: {
    options: buildQuestion().confirmationRequest?.options ?? [],
    details: { $case: "executeDetails", value: { command: COMMAND } },
  },
});

function commandFrame(columns: number, rows: number): Frame {
  const view = reduceTaskView(
    emptyTaskView("task-1", "context-1"),
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: EXECUTE }),
  );
  const state = withQuestion(INITIAL_SCREEN_STATE, EXECUTE);
  return buildFrame(inputOf(0, { view, state, size: { columns, rows } }));
}

test.each([
  [100, 24],
  [60, 10],
  [60, 8],
])(
  "a %i×%i terminal shows the whole command of a dialog, and descriptions if there is room",
  (columns, rows) => {
    const frame = commandFrame(columns, rows);

    expect(frame.visibility).toEqual({ isShown: true, isCut: false });
    if (rows > 8) expect(linesOf(frame).join("\n")).toContain("2 Always allow — ");
    expect(linesOf(frame).join("").replaceAll(/[│ ]/g, "")).toContain(COMMAND.replaceAll(" ", ""));
  },
);

test.each([
  [20, 10],
  [60, 6],
  [20, 6],
])("a %i×%i terminal cuts the command of a dialog and shows the hint Ctrl-O", (columns, rows) => {
  const frame = commandFrame(columns, rows);

  expect(frame.visibility).toEqual({ isShown: true, isCut: true });
  expect(linesOf(frame).join("\n")).toContain("Ctrl-O");
});

test("no option is marked before the question can be answered", () => {
  const lines = linesOf(buildFrame(inputOf(4, { now: 499 }))).join("\n");

  expect(lines).toContain("  1 Allow once");
  expect(lines).not.toContain("›");
});

test("the status bar shows clients whose mode is freer than the terminal's mode [SEC-10]", () => {
  const freerClients = [{ name: "phone\u001b[2J", mode: "yolo" }];

  const [first] = statusLines(
    { model: "offline", mode: "default", freerClients },
    emptyTaskView("task", "context"),
    { width: 100, notice: "" },
  );

  expect(plainText(first ?? [])).toBe('offline · mode default · client "phone␛[2J": yolo');
});

test("the status bar shows model, mode, queue, endpoint and clients", () => {
  const text = linesOf(buildFrame(inputOf(5))).join("\n");

  expect(text).toContain(
    "offline · mode default · 9 queued · A2A http://127.0.0.1:41242/ 2 clients",
  );
  expect(text).toContain("queued: [A2A] IDE next 0");
  expect(text).toContain("… and 6 more");
});

test("prompts that wait for the connection are listed", () => {
  const status = { model: "", trouble: "connection lost", held: ["say\nlater"] };
  const lines = linesOf(buildFrame(inputOf(1, { status })));

  expect(lines.join("\n")).toContain("waiting for the connection: say");
});

test("the status bar has two lines if the terminal has 60 columns", () => {
  const { status } = buildFrame(inputOf(5, { size: { columns: 60, rows: 24 } }));

  expect(status.map(plainText)).toEqual([
    "offline · mode default · 9 queued",
    "A2A http://127.0.0.1:41242/ 2 clients",
  ]);
});

test("a running tool call shows its duration and the last lines of its output", () => {
  const lines = linesOf(buildFrame(inputOf(3))).join("\n");

  expect(lines).toMatch(/⠋ \S+.* 1\.0s/);
  expect(lines).toContain("… 44 earlier lines");
  expect(lines).toContain("working 1.5s · Esc cancels");
});
