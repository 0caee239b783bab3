import { getEventListeners } from "node:events";
import type { AgentLedger, Caller, LedgerEntry, StampedEvent, Usage } from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { recordCommand } from "./command-records.js";
import type { JournalRecord } from "./journal-record.js";
import { enqueuePrompt, retryTurn, steerTurn, withdrawPrompt } from "./prompt-records.js";
import { createRecorder } from "./recorder.js";
import { restoreState } from "./restore-state.js";
import type { AcceptedPrompt } from "./session-state.js";
import { closeTask, createTask, openTask } from "./task-records.js";
import { recordTurnEnd } from "./turn-records.js";

const origin = { principal: "ada", name: "Ada" };
const parts = [{ type: "text", text: "go" }] as const;
const prompt = (turn: number, taskId = "t"): AcceptedPrompt => ({
  messageId: `m${turn}`,
  taskId,
  parts,
  origin,
  turn,
});
const queued = (turn: number) => ({ messageId: `m${turn}`, text: "go", origin });
const receipt = (turn: number, taskId = "t") => ({
  user: "ada",
  messageId: `m${turn}`,
  taskId,
  turn,
});

/** Creates a recorder that continues a journal, and collects the entries of that recorder. */
function openRecord(...records: readonly JournalRecord[]) {
  const entries: LedgerEntry[] = [];
  const live: StampedEvent[] = [];
  const pendingAppends: { commit(): void; refuse(reason: Error): void }[] = [];
  let isPaused = false;
  const ledger: AgentLedger = {
    append(entry) {
      entries.push(entry);
      const position = entries.length * 10;
      if (!isPaused) return Promise.resolve(position);
      return new Promise((resolve, reject) =>
        pendingAppends.push({ commit: () => resolve(position), refuse: reject }),
      );
    },
    publishLive: (event) => live.push(event),
  };
  const recorder = createRecorder({
    ledger,
    state: restoreState(records as never),
    modelName: ({ modelName = "first" }) => modelName,
    traceIdOf: (turn) => (turn < 3 ? `trace ${turn}` : undefined),
    now: () => new Date(0),
  });
  return {
    recorder,
    entries,
    live,
    pendingAppends,
    pauseCommits() {
      isPaused = true;
    },
  };
}

/** Builds the event that the recorder should append, by default in turn 1 of task "t". */
function stamped(event: Readonly<Record<string, unknown>>, turn = 1, taskId = "t") {
  const trace = turn < 3 ? { traceId: `trace ${turn}` } : {};
  const at = "1970-01-01T00:00:00.000Z";
  return { taskId, turn, state: "working", at, model: "first", ...trace, ...event };
}

const running: readonly JournalRecord[] = [
  { type: "prompted", prompt: prompt(1) },
  { type: "turn-started", turn: 1 },
];
const waiting: readonly JournalRecord[] = [
  ...running,
  { type: "prompted", prompt: prompt(2) },
  { type: "prompted", prompt: prompt(3, "u") },
];
const usage: Usage = { inputTokens: 1, outputTokens: 2, thoughtTokens: 3, cachedTokens: 4 };

test("a prompt, the start of its turn and its receipt are one entry", async () => {
  const { recorder, entries } = openRecord();

  expect(await enqueuePrompt(recorder, prompt(1))).toBe(10);

  expect(entries).toEqual([
    {
      journal: [
        { type: "prompted", prompt: prompt(1) },
        { type: "turn-started", turn: 1 },
      ],
      events: [
        stamped({ kind: "USER_PROMPT", messageId: "m1", parts, origin, state: "submitted" }),
        stamped({ kind: "STATE_CHANGE" }),
        stamped({ kind: "TITLE", title: "go" }),
      ],
      receipt: receipt(1),
    },
  ]);
});

test("queueing, steering and withdrawing a prompt are one entry each", async () => {
  const { recorder, entries } = openRecord(...running);
  const withdrawFirst = async () => {
    const [first] = recorder.state.queue;
    if (first !== undefined) await withdrawPrompt(recorder, first);
  };

  await enqueuePrompt(recorder, prompt(2, "u"));
  await steerTurn(recorder, prompt(3));
  await withdrawFirst();
  await recordTurnEnd(recorder, { state: "failed", error: "broke" });
  await withdrawFirst();

  expect(entries).toEqual([
    {
      journal: [{ type: "prompted", prompt: prompt(2, "u") }],
      events: [stamped({ kind: "QUEUE", prompts: [queued(2)], state: "submitted" }, 2, "u")],
      receipt: receipt(2, "u"),
    },
    {
      journal: [{ type: "steered", prompt: prompt(3) }],
      events: [],
      // A client that sends the message again follows the turn that the message joined.
      receipt: { ...receipt(3), turn: 1 },
    },
    {
      journal: [{ type: "withdrawn", turn: 2, taskState: "canceled" }],
      events: [
        stamped({ kind: "QUEUE", prompts: [], state: "submitted" }, 2, "u"),
        stamped({ kind: "STATE_CHANGE" }, 2, "u"),
        stamped({ kind: "STATE_CHANGE", state: "canceled" }, 2, "u"),
      ],
    },
    {
      journal: [{ type: "turn-ended", state: "failed" }],
      events: [
        stamped({ kind: "STATE_CHANGE", state: "input-required", error: "broke" }),
        // The task continues with the prompt that arrived too late to steer the turn.
        { ...stamped({ kind: "STATE_CHANGE" }, 3), turn: 3 },
      ],
    },
    {
      journal: [{ type: "withdrawn", turn: 3, taskState: "failed" }],
      events: [
        stamped({ kind: "QUEUE", prompts: [], state: "working" }, 3),
        stamped({ kind: "STATE_CHANGE", state: "failed" }, 3),
      ],
    },
  ]);
});

test("a retry is a new turn in the task that failed", async () => {
  const { recorder, entries } = openRecord(...running, { type: "turn-ended", state: "failed" });

  expect(await retryTurn(recorder)).toBe(10);

  expect(entries).toEqual([
    { journal: [{ type: "retried", turn: 2 }], events: [stamped({ kind: "STATE_CHANGE" }, 2)] },
  ]);
});

test.each([
  [
    "completes with a text",
    { state: "completed", said: "hello" },
    [{ kind: "TEXT_CONTENT", text: "hello" }],
    {},
  ],
  ["completes without a text", { state: "completed" }, [], {}],
  ["fails", { state: "failed", error: "broke" }, [], { error: "broke" }],
] as const)("a concurrent command that %s is one entry", async (_, end, said, expectedError) => {
  const { recorder, entries } = openRecord(...running, {
    type: "model-answered",
    said: [],
    calls: [],
    usage,
  });

  await recordCommand(recorder, prompt(2, "c"), end);

  const asked = { kind: "USER_PROMPT", messageId: "m2", parts, origin, state: "submitted" };
  expect(entries).toEqual([
    {
      journal: [{ type: "command-ran", turn: 2, taskId: "c", state: end.state }],
      events: [
        stamped(asked, 2, "c"),
        stamped({ kind: "STATE_CHANGE" }, 2, "c"),
        ...said.map((event) => stamped(event, 2, "c")),
        stamped({ kind: "STATE_CHANGE", state: end.state, ...expectedError }, 2, "c"),
      ],
      receipt: receipt(2, "c"),
    },
  ]);
});

test("one entry contains the end of a turn, its usage, its ended calls and withdrawn prompts", async () => {
  const call = buildToolCall({ toolCallId: "a" });
  const { recorder, entries } = openRecord(
    ...waiting,
    { type: "model-answered", said: [], calls: [call], usage },
    { type: "call-changed", toolCall: call },
  );

  await recordTurnEnd(recorder, { state: "canceled", withdrawn: new Set([2]) });

  const toolCall = { ...call, status: "CANCELLED" };
  expect(entries).toEqual([
    {
      journal: [
        { type: "call-changed", toolCall },
        { type: "withdrawn", turn: 2 },
        { type: "turn-ended", state: "canceled" },
      ],
      events: [
        stamped({ kind: "TOOL_CALL_UPDATE", toolCall }),
        { ...stamped({ kind: "QUEUE", prompts: [queued(3)] }, 2), turn: 2 },
        stamped({ kind: "STATE_CHANGE", state: "canceled", usage }),
      ],
    },
  ]);
});

const ada: Caller = { user: "ada", name: "Ada", role: "admin" };

test("opening, closing and creating a task use only legal state changes", async () => {
  const { recorder, entries } = openRecord();
  const change = (taskId: string, state: string) =>
    stamped({ kind: "STATE_CHANGE", state, traceId: "trace 0" }, 0, taskId);

  await openTask(recorder, "o");
  await closeTask(recorder);
  const create = (taskMode?: "yolo") =>
    createTask(recorder, { taskId: "w", ...(taskMode && { taskMode }) }, ada);
  expect(await create()).toEqual({ turn: 0, taskId: "w", afterPosition: 30 });
  expect(await create()).toEqual({ turn: 0, taskId: "w", afterPosition: 40 });
  expect(await create("yolo")).toEqual({ turn: 0, taskId: "w", afterPosition: 50 });

  expect(entries).toEqual([
    {
      journal: [{ type: "task-opened", taskId: "o" }],
      events: [change("o", "submitted"), change("o", "working"), change("o", "input-required")],
    },
    { journal: [{ type: "task-closed" }], events: [change("o", "completed")] },
    {
      journal: [{ type: "task-created", taskId: "w" }],
      events: [change("w", "submitted"), change("w", "working"), change("w", "input-required")],
    },
    { journal: [], events: [] },
    {
      journal: [{ type: "task-mode-set", taskId: "w", principal: "ada", mode: "yolo" }],
      events: [],
    },
  ]);
});

test("a question that blocks the turn is repeated in a state change of the same entry", async () => {
  const question = buildQuestion({ toolCallId: "a" });
  const { recorder, entries } = openRecord(...running, {
    type: "model-answered",
    said: [],
    calls: [question],
    usage,
  });

  await recorder.commit({
    journal: [{ type: "call-changed", toolCall: question }],
    events: [{ kind: "TOOL_CALL_UPDATE", toolCall: question }],
    isCritical: true,
  });
  await recorder.commit({ journal: [{ type: "model-set", name: "other" }], isCritical: false });
  await recorder.commit({ events: [{ kind: "TEXT_CONTENT", text: "x" }] });

  expect(entries).toEqual([
    {
      journal: [{ type: "call-changed", toolCall: question }],
      events: [
        stamped({ kind: "TOOL_CALL_UPDATE", toolCall: question }),
        stamped({ kind: "STATE_CHANGE", waiting: [question], state: "input-required", usage }),
      ],
      isCritical: true,
    },
    { journal: [{ type: "model-set", name: "other" }], events: [] },
    { journal: [], events: [stamped({ kind: "TEXT_CONTENT", text: "x", model: "other" })] },
  ]);
});

test("events that are published together share an entry", async () => {
  const { recorder, entries } = openRecord(...running);
  const text = (said: string) => ({ kind: "TEXT_CONTENT", text: said }) as const;

  recorder.publish(text("a"));
  recorder.publish(text("b"));
  expect(recorder.inFlight).toBe(2);
  const commit = recorder.commit({ events: [text("c")] });
  recorder.publish(text("d"));
  await commit;
  await recorder.flush();

  const said = entries.map(({ events }) => events.map((event) => "text" in event && event.text));
  expect(said).toEqual([["a", "b"], ["c"], ["d"]]);
  expect(entries[0]?.events[0]).toEqual(stamped(text("a")));
  expect(recorder.inFlight).toBe(0);
});

test("flush rejects if a published event could not be committed", async () => {
  const { recorder, pendingAppends, pauseCommits } = openRecord(...running);
  pauseCommits();

  recorder.publish({ kind: "TEXT_CONTENT", text: "a" });
  const flushed = recorder.flush();
  pendingAppends[0]?.refuse(new Error("no space"));

  await expect(flushed).rejects.toThrow("no space");
  await expect(recorder.flush()).rejects.toThrow("no space");
});

test("live output has the number of the running turn and is not stored", () => {
  const { recorder, entries, live } = openRecord(...running);
  const toolCall = buildToolCall({ toolCallId: "a", status: "EXECUTING" });

  recorder.publishLive(toolCall);

  expect(live).toEqual([stamped({ kind: "TOOL_CALL_UPDATE", toolCall })]);
  expect(entries).toEqual([]);
});

test("inFlight counts unfinished commits, and nextChange resolves when one ends", async () => {
  const { recorder, pendingAppends, pauseCommits } = openRecord(...running);
  pauseCommits();
  const said = { events: [{ kind: "TEXT_CONTENT", text: "x" }] } as const;
  const resolved: string[] = [];
  const commits = [recorder.commit(said), recorder.commit(said)];
  const flushed = recorder.flush().then(() => resolved.push("flushed"));
  const abort = new AbortController();
  recorder.nextChange(abort.signal).then(() => resolved.push("changed"));
  expect(recorder.inFlight).toBe(2);

  pendingAppends[0]?.commit();
  expect(await commits[0]).toBe(10);
  await new Promise(setImmediate);
  expect([recorder.inFlight, ...resolved]).toEqual([1, "changed"]);
  pendingAppends[1]?.commit();
  await flushed;

  expect(await commits[1]).toBe(20);
  expect([recorder.inFlight, ...resolved]).toEqual([0, "changed", "flushed"]);
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});

test("nextChange resolves when its signal aborts", async () => {
  const { recorder } = openRecord(...running);
  const abort = new AbortController();
  const aborted = recorder.nextChange(abort.signal);

  abort.abort();
  await aborted;
  await recorder.nextChange(abort.signal);

  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});

test("a change without events needs no running turn", async () => {
  const { recorder, entries } = openRecord();

  await recorder.commit({ journal: [{ type: "forgotten", numbers: [1] }] });

  expect(entries).toEqual([{ journal: [{ type: "forgotten", numbers: [1] }], events: [] }]);
});

test("after a refused commit, every later commit is refused", async () => {
  const { recorder, pendingAppends, entries, pauseCommits } = openRecord(...running);
  pauseCommits();
  const said = { events: [{ kind: "TEXT_CONTENT", text: "x" }] } as const;
  const commits = [recorder.commit(said), recorder.commit(said)];
  const changed = recorder.nextChange(new AbortController().signal);
  const flushed = expect(recorder.flush()).rejects.toThrow("second");

  pendingAppends[0]?.refuse(new Error("first"));
  await expect(commits[0]).rejects.toThrow("first");
  await changed;
  pendingAppends[1]?.refuse(new Error("second"));
  await expect(commits[1]).rejects.toThrow("second");
  await flushed;

  await expect(recorder.flush()).rejects.toThrow("second");
  await expect(recorder.commit(said)).rejects.toThrow("first");
  expect(entries).toHaveLength(2);
  expect(recorder.inFlight).toBe(0);
});

test("a change with events is refused if no turn is running", async () => {
  const { recorder } = openRecord();

  await expect(recorder.commit({ events: [{ kind: "TEXT_CONTENT", text: "x" }] })).rejects.toThrow(
    "no turn is running",
  );
});
