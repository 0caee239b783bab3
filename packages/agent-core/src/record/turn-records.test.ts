import type { StampedEvent, TaskState, ToolCall } from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { openHeldLedger } from "../testing/held-ledger.js";
import type { JournalRecord } from "./journal-record.js";
import { enqueuePrompt, retryTurn, steerTurn, withdrawPrompt } from "./prompt-records.js";
import { createRecorder } from "./recorder.js";
import { restoreState } from "./restore-state.js";
import type { AcceptedPrompt } from "./session-state.js";
import { closeTask, openTask } from "./task-records.js";
import { interruptTurn, recordTurnEnd } from "./turn-records.js";

const origin = { principal: "ada", name: "Ada" };
const prompt = (turn: number, more: Partial<AcceptedPrompt> = {}): AcceptedPrompt => ({
  messageId: `m${turn}`,
  taskId: "t",
  parts: [{ type: "text", text: `go ${turn}` }],
  origin,
  turn,
  ...more,
});

/** Opens a recorder. `newEvents` returns a short text for each event since its last call. */
function openRecord(...records: readonly JournalRecord[]) {
  const ledger = openHeldLedger();
  const recorder = createRecorder({
    ledger,
    state: restoreState(records as never),
    modelName: () => "m",
    now: () => new Date(0),
  });
  let seen = 0;
  const newEvents = () => {
    const fresh = ledger.events.slice(seen);
    seen = ledger.events.length;
    return fresh.map((event) => describeEvent(event as unknown as StampedEvent));
  };
  return { recorder, ledger, newEvents };
}

function describeEvent(event: StampedEvent): string {
  switch (event.kind) {
    case "QUEUE":
      return `${event.taskId} queue [${event.prompts.map(({ messageId, text }) => `${messageId} ${text}`)}] ${event.state}`;
    case "USER_PROMPT":
      return `${event.taskId} > ${event.messageId} ${event.state}`;
    case "TITLE":
      return `${event.taskId} "${event.title}"`;
    case "TOOL_CALL_UPDATE":
      return `${event.toolCall.toolCallId} ${event.toolCall.status}`;
    default:
      return `${event.taskId} ${event.state}${event.error === undefined ? "" : `: ${event.error}`}`;
  }
}

const running = (more: Partial<AcceptedPrompt> = {}): readonly JournalRecord[] => [
  { type: "prompted", prompt: prompt(1, more) },
  { type: "turn-started", turn: 1 },
];
const withCalls = (...calls: readonly ToolCall[]): readonly JournalRecord[] => [
  ...running(),
  { type: "model-answered", said: [], calls },
  ...calls.map((toolCall) => ({ type: "call-changed" as const, toolCall })),
];

test("the first prompt starts at once, and later prompts are queued with their task's state", async () => {
  const { recorder, newEvents } = openRecord();

  await enqueuePrompt(recorder, prompt(1));
  expect(newEvents()).toEqual(["t > m1 submitted", "t working", 't "go 1"']);
  await enqueuePrompt(recorder, prompt(2));
  await enqueuePrompt(recorder, prompt(3, { taskId: "u" }));
  await enqueuePrompt(recorder, prompt(4, { taskId: "old", taskState: "completed" }));

  expect(newEvents()).toEqual([
    "t queue [m2 go 2] working",
    "u queue [m2 go 2,m3 go 3] submitted",
    "old queue [m2 go 2,m3 go 3,m4 go 4] completed",
  ]);
});

test.each<[TaskState, string | undefined, readonly string[]]>([
  ["completed", undefined, ["t completed"]],
  ["failed", "broke", ["t failed: broke"]],
  ["canceled", undefined, ["t canceled"]],
])("a turn that is %s ends its task in that state", async (state, error, words) => {
  const { recorder, newEvents } = openRecord(...running());

  await recordTurnEnd(recorder, { state, error });

  expect(newEvents()).toEqual(words);
  expect(recorder.state.turn).toBeUndefined();
  await recordTurnEnd(recorder, { state, error });
  expect(newEvents()).toEqual([]);
});

test.each<[TaskState, string | undefined, string]>([
  ["completed", undefined, "t input-required"],
  ["failed", "broke", "t input-required: broke"],
  ["canceled", undefined, "t input-required: the turn was cancelled"],
])(
  "if a turn is %s and another prompt of its task waits, the task pauses and then continues",
  async (state, error, word) => {
    const { recorder, newEvents } = openRecord(...running(), {
      type: "prompted",
      prompt: prompt(2),
    });

    await recordTurnEnd(recorder, { state, error });

    expect(newEvents()).toEqual([word, "t working"]);
  },
);

test("an open task waits for input and does not continue by itself", async () => {
  const { recorder, newEvents } = openRecord({ type: "task-opened", taskId: "t" }, ...running(), {
    type: "prompted",
    prompt: prompt(2),
  });

  await recordTurnEnd(recorder, { state: "completed" });

  expect(newEvents()).toEqual(["t input-required"]);
});

test("prompts that are cancelled with a turn leave the queue one by one", async () => {
  const waiting = [2, 3, 4].map((turn) => ({ type: "prompted" as const, prompt: prompt(turn) }));
  const { recorder, newEvents } = openRecord(...running(), ...waiting);

  await recordTurnEnd(recorder, { state: "canceled", withdrawn: new Set([2, 3, 4]) });

  expect(newEvents()).toEqual([
    "t queue [m3 go 3,m4 go 4] working",
    "t queue [m4 go 4] working",
    "t queue [] working",
    "t canceled",
  ]);
  expect(recorder.state.queue).toEqual([]);
});

test("open calls end with their turn, and unannounced calls end without an event", async () => {
  const [seen, unseen] = [
    buildToolCall({ toolCallId: "seen" }),
    buildToolCall({ toolCallId: "no" }),
  ];
  const records: readonly JournalRecord[] = [
    ...running(),
    { type: "model-answered", said: [], calls: [seen, unseen] },
    { type: "call-changed", toolCall: seen },
  ];
  const failing = openRecord(...records);
  const canceling = openRecord(...records);

  await recordTurnEnd(failing.recorder, { state: "failed", error: "broke" });
  await recordTurnEnd(canceling.recorder, { state: "canceled" });

  expect(failing.newEvents()).toEqual(["seen FAILED", "t failed: broke"]);
  expect(canceling.newEvents()).toEqual(["seen CANCELLED", "t canceled"]);
});

test("after an interruption a question stays open and a running call has failed", async () => {
  const calls = [
    buildToolCall({ toolCallId: "ran", status: "EXECUTING" }),
    buildQuestion({ toolCallId: "asks" }),
  ];
  const { recorder, newEvents, ledger } = openRecord(...withCalls(...calls));

  await interruptTurn(recorder, { reason: "restart", remarks: { ran: "its process was ended" } });

  expect(newEvents()).toEqual(["ran FAILED", "t input-required"]);
  expect(ledger.events[0]).toMatchObject({
    toolCall: {
      result: { value: { message: "restart; its process was ended", type: "interrupted" } },
    },
  });
});

test("after an interruption without an open question the turn has failed", async () => {
  const { recorder, newEvents } = openRecord(...withCalls(buildToolCall({ toolCallId: "a" })));

  await interruptTurn(recorder, { reason: "restart", remarks: { x: "ended" } });

  expect(newEvents()).toEqual(["a FAILED", "t failed: restart; ended"]);
  await interruptTurn(recorder, { reason: "restart" });
  expect(newEvents()).toEqual([]);
});

test.each<[string, readonly JournalRecord[], boolean, readonly string[]]>([
  [
    "of a task that never began",
    [{ type: "prompted", prompt: prompt(2) }],
    false,
    ["t queue [] submitted", "t working", "t canceled"],
  ],
  [
    "of a running task",
    [...running(), { type: "prompted", prompt: prompt(2) }],
    true,
    ["t queue [] working"],
  ],
  [
    "of a task that continued only for this prompt",
    [
      ...running(),
      { type: "prompted", prompt: prompt(2) },
      { type: "turn-ended", state: "completed" },
    ],
    false,
    ["t queue [] working", "t completed"],
  ],
  [
    "of a cancelled task that continued only for this prompt",
    [
      ...running(),
      { type: "prompted", prompt: prompt(2) },
      { type: "turn-ended", state: "completed" },
    ],
    true,
    ["t queue [] working", "t canceled"],
  ],
  [
    "that is not the last prompt of its task",
    [
      { type: "prompted", prompt: prompt(2) },
      { type: "prompted", prompt: prompt(3) },
    ],
    false,
    ["t queue [m3 go 3] submitted"],
  ],
])("withdrawPrompt removes a waiting prompt %s", async (_, records, endsAsCanceled, words) => {
  const { recorder, newEvents } = openRecord(...records);
  const waiting = recorder.state.queue.find(({ turn }) => turn === 2);
  if (waiting === undefined) throw new Error("no prompt waits");

  await withdrawPrompt(recorder, waiting, { endsAsCanceled });

  expect(newEvents()).toEqual(words);
});

test("opening or closing the open task a second time announces nothing", async () => {
  const { recorder, newEvents } = openRecord();

  await openTask(recorder, "t");
  await openTask(recorder, "t");
  expect(newEvents()).toEqual(["t submitted", "t working", "t input-required"]);
  await closeTask(recorder);
  await closeTask(recorder);
  expect(newEvents()).toEqual(["t completed"]);
  await openTask(recorder, "t");
  expect(newEvents()).toEqual(["t working", "t input-required"]);
});

test("steering announces nothing before the next step, and a retry announces the state working", async () => {
  const { recorder, newEvents } = openRecord(...running());

  await steerTurn(recorder, prompt(2));
  expect(newEvents()).toEqual([]);
  expect(recorder.state.turn?.steering).toHaveLength(1);
  await recordTurnEnd(recorder, { state: "failed", error: "broke" });
  newEvents();
  await retryTurn(recorder);
  expect(newEvents()).toEqual(["t working"]);
});
