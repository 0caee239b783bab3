import { type ConfirmationAnswer, isTerminalState, type ToolCall, type Usage } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { JournalRecord } from "./journal-record.js";
import { reduceSessionState } from "./reduce-session-state.js";
import { type AcceptedPrompt, EMPTY_SESSION_STATE, type SessionState } from "./session-state.js";

const origin = { principal: "ada", name: "Ada" };
const parts = [{ type: "text", text: "go" }] as const;
const prompt = (turn: number, more: Partial<AcceptedPrompt> = {}): AcceptedPrompt => ({
  messageId: `m${turn}`,
  taskId: "t",
  parts,
  origin,
  turn,
  ...more,
});
const usage = (scale: number): Usage => ({
  inputTokens: 1 * scale,
  outputTokens: 2 * scale,
  thoughtTokens: 3 * scale,
  cachedTokens: 4 * scale,
});
const call = (toolCallId: string, status: ToolCall["status"] = "PENDING") =>
  buildToolCall({
    toolCallId,
    status,
    ...(status === "SUCCEEDED" && {
      result: { $case: "output", value: { result: { $case: "text", value: toolCallId } } },
    }),
  });
const unseen = (toolCallId: string) => ({
  toolCall: call(toolCallId),
  isAnnounced: false,
  isReadOnly: false,
});
const user = { role: "user", parts };
const saying = (text: string) => [{ type: "text" as const, text }];

function fold(...records: readonly JournalRecord[]): SessionState {
  return records.reduce(reduceSessionState, EMPTY_SESSION_STATE);
}

const started = (more: Partial<AcceptedPrompt> = {}): readonly JournalRecord[] => [
  { type: "prompted", prompt: prompt(1, more) },
  { type: "turn-started", turn: 1 },
];

const EMPTY_STEP = { calls: [], isRound: false };

test("a prompt waits until its turn starts and then joins the conversation", () => {
  const first = prompt(1);
  const second = prompt(2, { taskId: "u" });

  const waiting = fold({ type: "prompted", prompt: first }, { type: "prompted", prompt: second });
  const running = reduceSessionState(waiting, { type: "turn-started", turn: 1 });

  expect(waiting).toEqual({ ...EMPTY_SESSION_STATE, queue: [first, second], turns: 2 });
  expect(running).toEqual({
    ...EMPTY_SESSION_STATE,
    turns: 2,
    queue: [second],
    tasks: { t: "working" },
    history: [user],
    title: "go",
    turn: {
      ...EMPTY_STEP,
      prompt: first,
      denied: [],
      rounds: [],
      steering: [],
      steps: 0,
      isModelAsked: true,
    },
  });
  expect(() => fold({ type: "turn-started", turn: 1 })).toThrow("turn 1 was never prompted");
});

test("a command is not part of the conversation and does not prevent the retry of a failed turn", () => {
  const command = { path: ["help"], args: "" };

  const state = fold(
    ...started(),
    { type: "turn-ended", state: "failed" },
    { type: "prompted", prompt: prompt(2, { command }) },
    { type: "turn-started", turn: 2 },
  );
  const asked = reduceSessionState(state, { type: "command-prompted", parts });

  expect(state).toMatchObject({
    failed: prompt(1),
    history: [user],
    turn: { isModelAsked: false },
  });
  expect(asked).toMatchObject({ history: [user, user], turn: { isModelAsked: true } });
});

test("a task's mode belongs to the credential that set the mode", () => {
  const modes = (more: Partial<AcceptedPrompt>) => fold(...started(more)).taskModes;

  expect(modes({})).toEqual({});
  expect(modes({ taskMode: "yolo" })).toEqual({ t: { principal: "ada", mode: "yolo" } });
  expect(modes({ taskMode: "plan", credential: "c" })).toEqual({
    t: { principal: "ada", credential: "c", mode: "plan" },
  });
});

test("a reply of the model starts a step and adds to the usage of turn and session", () => {
  const inputErrors = { b: "garbled" };
  const state = fold(
    ...started(),
    { type: "model-answered", said: saying("one"), calls: [], usage: usage(1) },
    {
      type: "model-answered",
      said: saying("two"),
      calls: [call("a"), call("b")],
      inputErrors,
      usage: usage(10),
    },
  );
  const silent = reduceSessionState(state, {
    type: "model-answered",
    said: [],
    calls: [],
    isBrokenOff: true,
  });

  expect(state).toMatchObject({
    history: [
      user,
      { role: "model", parts: saying("one") },
      { role: "model", parts: saying("two") },
    ],
    turn: {
      steps: 2,
      calls: [unseen("a"), { ...unseen("b"), inputError: "garbled" }],
      usage: usage(11),
    },
    totals: { steps: 2, usage: usage(11) },
    contextTokens: 30,
    isBrokenOff: false,
  });
  expect(silent).toMatchObject({
    turn: { ...EMPTY_STEP, steps: 3, usage: usage(11) },
    totals: { steps: 3, usage: usage(11) },
    contextTokens: 30,
    isBrokenOff: false,
  });
  expect(silent.history).toHaveLength(3);
});

const withCalls = (...calls: readonly ToolCall[]): readonly JournalRecord[] => [
  ...started(),
  { type: "model-answered", said: saying("x"), calls },
];
test("a new reply of the model replaces the calls of the previous step", () => {
  const state = fold(
    ...withCalls(call("a"), call("b")),
    asked,
    { type: "question-answered", answer, approval: { details: undefined } },
    { type: "call-changed", toolCall: call("a", "EXECUTING"), isReadOnly: true, mark },
    { type: "model-answered", said: saying("y"), calls: [] },
  );

  expect(state.turn).toMatchObject(EMPTY_STEP);
});

const mark = { name: "mark" } as NonNullable<(JournalRecord & { type: "call-changed" })["mark"]>;

test("a step keeps all of its calls until the last one has ended", () => {
  const state = fold(
    ...withCalls(call("a"), call("b")),
    { type: "call-changed", toolCall: call("a"), isReadOnly: true },
    { type: "call-changed", toolCall: call("a", "EXECUTING"), mark },
    { type: "call-changed", toolCall: call("a", "SUCCEEDED") },
  );
  const ended = reduceSessionState(state, {
    type: "call-changed",
    toolCall: call("b", "SUCCEEDED"),
  });

  expect(state.turn).toMatchObject({
    calls: [
      { toolCall: call("a", "SUCCEEDED"), isAnnounced: true, isReadOnly: true, mark },
      unseen("b"),
    ],
  });
  expect(ended.turn).toMatchObject(EMPTY_STEP);
  expect(ended.history.at(-1)).toMatchObject({
    role: "tool",
    results: [
      { toolCallId: "a", text: "a", isError: false },
      { toolCallId: "b", text: "b", isError: false },
    ],
  });
});

test("calls that the model did not request form a round outside the conversation", () => {
  const state = fold(
    ...started(),
    { type: "calls-requested", calls: [call("a")] },
    { type: "call-changed", toolCall: call("a", "SUCCEEDED") },
  );

  expect(fold(...started(), { type: "calls-requested", calls: [call("a")] }).turn).toMatchObject({
    isRound: true,
    calls: [unseen("a")],
  });
  expect(state.turn).toMatchObject({ ...EMPTY_STEP, rounds: [[call("a", "SUCCEEDED")]] });
  expect(state.history).toEqual([user]);
});

const asked: JournalRecord = {
  type: "asked",
  toolCallId: "a",
  scopes: [{ scope: "edit:inside", words: "edits" }, "mcp:s:t"],
  targets: ["edit:/x"],
  actions: [{ type: "other", name: "n", target: "x" }],
};
const answer: ConfirmationAnswer = { toolCallId: "a", selectedOptionId: "cancel", origin };

test("a question is stored with its call, and a refusal denies the call's targets", () => {
  const approval = { details: undefined };
  const state = fold(...withCalls(call("a"), call("b")), asked);
  const refused = reduceSessionState(state, { type: "question-answered", answer });
  const approved = reduceSessionState(state, { type: "question-answered", answer, approval });

  const question = {
    scopes: [
      { scope: "edit:inside", words: "edits" },
      { scope: "mcp:s:t", words: "mcp: s: t" },
    ],
    targets: ["edit:/x"],
    actions: [{ type: "other", name: "n", target: "x" }],
  };
  const first = { ...unseen("a"), question };
  expect(state.turn?.calls).toEqual([first, unseen("b")]);
  expect(refused).toMatchObject({ turn: { denied: ["edit:/x"] }, answers: { a: answer } });
  expect(refused.turn?.calls).toEqual([first, unseen("b")]);
  expect(approved.turn).toMatchObject({ denied: [], calls: [{ ...first, approval }, {}] });
  const second = { ...answer, toolCallId: "b" };
  const both = reduceSessionState(approved, {
    type: "question-answered",
    answer: second,
    approval,
  });
  expect(both.turn?.calls).toEqual([
    { ...first, approval },
    { ...unseen("b"), approval },
  ]);
});

test("a record changes only the call or the task that it belongs to", () => {
  const [a, b] = ["a", "b"].map((toolCallId) => ({
    asked: { ...asked, toolCallId, targets: [toolCallId] } as JournalRecord,
    refused: {
      type: "question-answered",
      answer: { ...answer, toolCallId },
      reason: `no ${toolCallId}`,
    } as JournalRecord,
    runs: {
      type: "call-changed",
      toolCall: call(toolCallId, "EXECUTING"),
      isReadOnly: true,
      mark,
    } as JournalRecord,
  }));
  if (a === undefined || b === undefined) throw new Error("the test needs two calls");
  const { turn, answers } = fold(
    ...withCalls(call("a"), call("b"), call("c")),
    ...[a.asked, b.asked, a.refused, b.refused, a.runs, b.runs],
  );
  const task = (turn: number, taskId: string): readonly JournalRecord[] => [
    { type: "prompted", prompt: prompt(turn, { taskId }) },
    { type: "turn-started", turn },
    { type: "prompted", prompt: prompt(turn + 1, { taskId }) },
    { type: "turn-ended", state: "completed" },
  ];

  const known = (toolCallId: string) => ({
    toolCall: { toolCallId, status: "EXECUTING" },
    isAnnounced: true,
    isReadOnly: true,
    question: { targets: [toolCallId] },
    refusalReason: `no ${toolCallId}`,
    mark,
  });
  expect(turn).toMatchObject({
    calls: [known("a"), known("b"), { toolCall: call("c") }],
    denied: ["a", "b"],
  });
  expect(Object.keys(answers)).toEqual(["a", "b"]);
  expect(fold(...task(1, "t"), ...task(3, "u")).unsettled).toEqual({
    t: "completed",
    u: "completed",
  });
});

test("remembered answers are numbered, and a forgotten number is never reused", () => {
  const given = (scope: string): JournalRecord => ({
    type: "remembered",
    answer: { principal: "ada", turn: 1, scope },
  });

  const state = fold(given("a"), given("b"), { type: "forgotten", numbers: [1] }, given("c"));

  expect(state.remembered).toMatchObject([
    { scope: "b", number: 2, name: "ada" },
    { scope: "c", number: 3, words: "c" },
  ]);
  expect(state.answersGiven).toBe(3);
});

test.each(["completed", "failed", "canceled"] as const)(
  "a turn that ends as %s gives its task this state, and only a canceled turn drops its steering",
  (end) => {
    const steering = prompt(2, { taskId: "u" });
    const state = fold(
      ...started(),
      { type: "steered", prompt: steering },
      { type: "turn-ended", state: end },
    );

    expect(state.tasks).toEqual({ t: end });
    expect(state.queue).toEqual(end === "canceled" ? [] : [steering]);
    expect(state.turn).toBeUndefined();
    expect(state.failed).toEqual(end === "failed" ? prompt(1) : undefined);
    expect(state.turns).toBe(2);
    expect(isTerminalState(end)).toBe(true);
  },
);

test("a task with a waiting prompt continues, and ends if the prompt is withdrawn", () => {
  const state = fold(
    ...started(),
    { type: "prompted", prompt: prompt(2) },
    { type: "turn-ended", state: "completed" },
  );
  const kept = reduceSessionState(state, { type: "withdrawn", turn: 2 });
  const ended = reduceSessionState(state, { type: "withdrawn", turn: 2, taskState: "completed" });

  expect(state).toMatchObject({ tasks: { t: "working" }, unsettled: { t: "completed" } });
  expect(kept).toMatchObject({ queue: [], tasks: { t: "working" }, unsettled: { t: "completed" } });
  expect(ended).toMatchObject({ queue: [], tasks: { t: "completed" } });
  expect(ended.unsettled).toEqual({});
  expect(reduceSessionState(state, { type: "withdrawn", turn: 9 })).toBe(state);
  expect(reduceSessionState(state, { type: "turn-started", turn: 2 }).unsettled).toEqual({});
});

test("steering joins the conversation at the next step unless it was withdrawn", () => {
  const state = fold(
    ...started(),
    { type: "steered", prompt: prompt(2) },
    { type: "steered", prompt: prompt(3) },
    { type: "steering-withdrawn", messageId: "m2" },
  );
  const delivered = reduceSessionState(state, { type: "steering-delivered" });

  expect(state.turn?.steering).toEqual([prompt(3)]);
  expect(delivered).toMatchObject({ turn: { steering: [] }, history: [user, user], turns: 3 });
});

test("a retry drops the broken-off reply and does not run the command again", () => {
  const broken = fold(
    ...started({ command: { path: ["ask"], args: "" } }),
    { type: "command-prompted", parts },
    { type: "model-answered", said: saying("half"), calls: [], isBrokenOff: true },
    { type: "turn-ended", state: "failed" },
  );
  const retried = reduceSessionState(broken, { type: "retried", turn: 2 });

  expect(broken).toMatchObject({ isBrokenOff: true, failed: { turn: 1 } });
  expect(retried).toMatchObject({
    turns: 2,
    isBrokenOff: false,
    history: [user],
    tasks: { t: "working" },
    turn: { prompt: prompt(2, { messageId: "m1" }), isModelAsked: true },
  });
  expect(retried.turn?.prompt).not.toHaveProperty("command");
  expect(retried).not.toHaveProperty("failed");
  expect(() => fold({ type: "retried", turn: 2 })).toThrow("no turn has failed");
});

test("a command that failed before it prompted the model leaves nothing to retry", () => {
  const state = fold(...started({ command: { path: ["x"], args: "" } }), {
    type: "turn-ended",
    state: "failed",
  });

  expect(state).not.toHaveProperty("failed");
});

test("the conversation can be compacted and cleared", () => {
  const broken = fold(
    ...started(),
    { type: "model-answered", said: saying("half"), calls: [], usage: usage(1), isBrokenOff: true },
    { type: "turn-ended", state: "failed" },
  );
  const history = [{ role: "user", parts } as const];

  expect(reduceSessionState(broken, { type: "compacted", history })).toMatchObject({
    history,
    contextTokens: 0,
    isBrokenOff: true,
  });
  expect(reduceSessionState(broken, { type: "cleared" })).toEqual({
    ...EMPTY_SESSION_STATE,
    turns: 1,
    tasks: { t: "failed" },
    title: "go",
    totals: { steps: 1, usage: usage(1) },
  });
});

test("the open task waits for input between its turns and completes when it is closed", () => {
  const opened = fold({ type: "task-opened", taskId: "t" });
  const idle = [
    ...started(),
    { type: "prompted", prompt: prompt(2) } as const,
    { type: "turn-ended", state: "failed" } as const,
  ].reduce<SessionState>(reduceSessionState, opened);
  const closed = reduceSessionState(idle, { type: "task-closed" });

  expect(opened).toMatchObject({ openTaskId: "t", tasks: { t: "input-required" } });
  expect(idle).toMatchObject({ tasks: { t: "input-required" }, unsettled: {} });
  expect(closed.tasks).toEqual({ t: "completed" });
  expect(closed).not.toHaveProperty("openTaskId");
  expect(fold({ type: "task-closed" })).toEqual(EMPTY_SESSION_STATE);
});

test("the chosen model is stored, and a mode record of an earlier version is ignored", () => {
  expect(fold({ type: "model-set", name: "m" }).modelName).toBe("m");
  expect(fold({ type: "mode-set", principal: "ada", mode: "yolo" })).toEqual(EMPTY_SESSION_STATE);
});

test("a command that retries a failed turn drops the broken-off reply and asks the model", () => {
  const state = fold(
    ...started(),
    { type: "model-answered", said: saying("half"), calls: [], isBrokenOff: true },
    { type: "turn-ended", state: "failed" },
    { type: "prompted", prompt: prompt(2, { command: { path: ["retry"], args: "" } }) },
    { type: "turn-started", turn: 2 },
    { type: "retry-taken" },
  );

  expect(state).toMatchObject({
    history: [user],
    isBrokenOff: false,
    turn: { isModelAsked: true },
  });
  expect(state).not.toHaveProperty("failed");
});

test("a session remembers the last 256 tasks", () => {
  const records = Array.from({ length: 257 }, (_, index): JournalRecord[] => [
    { type: "prompted", prompt: prompt(index + 1, { taskId: `t${index}` }) },
    { type: "turn-started", turn: index + 1 },
    { type: "turn-ended", state: "completed" },
  ]).flat();

  const { tasks } = fold(...records);

  expect(Object.keys(tasks)).toHaveLength(256);
  expect(tasks).not.toHaveProperty("t0");
  expect(tasks).toMatchObject({ t1: "completed", t256: "completed" });
});

test.each<JournalRecord>([
  { type: "steering-delivered" },
  { type: "model-answered", said: [], calls: [] },
  { type: "call-changed", toolCall: call("a") },
  asked,
])("the record $type throws if no turn is running", (record) => {
  expect(() => fold(record)).toThrow("no turn is running");
});
