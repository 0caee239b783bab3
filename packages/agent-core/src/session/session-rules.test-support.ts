import type { AgentLedger, Caller } from "@dt/schema";
import { canMoveTask, isTerminalState, type SessionEvent, type TaskState } from "@dt/schema";
import fc from "fast-check";
import { expect } from "vitest";
import { type MemoryLedger, openMemoryLedger } from "../ledger/memory-ledger.js";
import type { ModelPart } from "../model/model-part.js";
import type { JournalRecord } from "../record/journal-record.js";
import { reduceSessionState } from "../record/reduce-session-state.js";
import { EMPTY_SESSION_STATE, type SessionState } from "../record/session-state.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { Tool } from "../tools/tool.js";

// Plays random prompts, answers, cancels and crashes, and checks rules that do not depend on the
// implementation.

const ALICE: Caller = { user: "alice", name: "Alice", role: "approve" };
const BOB: Caller = { user: "bob", name: "Bob", role: "approve" };

/** One act of a sequence: a request of a client, a wait (`settle`), an end of the session, or a crash. */
type Act =
  | {
      readonly type: "prompt";
      readonly steps: readonly Step[];
      readonly task: number;
      readonly by: Caller;
      readonly isSteering: boolean;
    }
  | { readonly type: "withdraw"; readonly which: number }
  | { readonly type: "retry" }
  | {
      readonly type: "answer";
      readonly which: number;
      readonly optionId: string;
      readonly isSentTwice: boolean;
    }
  | { readonly type: "cancel"; readonly task: number }
  | { readonly type: "settle" }
  | { readonly type: "close" }
  | { readonly type: "finish" }
  | { readonly type: "crash" };

/** One step of the model: it fails, or it has text and a number of reading and writing tool calls. */
interface Step {
  readonly hasText: boolean;
  readonly fails: boolean;
  readonly reads: number;
  readonly writes: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  hasText: fc.boolean(),
  fails: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
  reads: fc.nat({ max: 2 }),
  writes: fc.nat({ max: 2 }),
});

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("prompt" as const),
      by: fc.constantFrom(ALICE, BOB),
      isSteering: fc.integer({ min: 0, max: 3 }).map((roll) => roll === 0),
      steps: fc.array(step, { maxLength: 3 }),
      task: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("answer" as const),
      which: fc.nat({ max: 3 }),
      optionId: fc.constantFrom("proceed_once", "proceed_always", "cancel"),
      isSentTwice: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("cancel" as const), task: fc.nat({ max: 2 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ type: "settle" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "retry" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("withdraw" as const), which: fc.nat({ max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "close" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "finish" as const }) },
  { weight: 2, arbitrary: fc.constant({ type: "crash" as const }) },
);

const sequence = fc.array(act, { minLength: 1, maxLength: 24 });

/** Id of the open task, in sequences that have an open task. */
const OPEN_TASK = "t0";

/** Creates a model that follows the steps in its prompt. The prompt is a list of steps as JSON. */
function stepModel() {
  return scriptedModelOf(({ steps, replyCount }) => {
    const current = steps[replyCount];
    if (current === undefined) return [];
    if (current.fails) throw new Error("the model failed");
    const parts: ModelPart[] = current.hasText ? [say("text")] : [];
    for (let index = 0; index < current.reads; index += 1) parts.push(callTool("look", { index }));
    for (let index = 0; index < current.writes; index += 1) {
      parts.push(callTool("touch", { step: replyCount, index }));
    }
    return parts;
  });
}

function scriptedModelOf(
  play: (progress: { steps: readonly Step[]; replyCount: number }) => readonly ModelPart[],
) {
  const model = scriptedModel([]);
  return {
    ...model,
    async *stream({ history }: Parameters<typeof model.stream>[0]) {
      const start = history.findLastIndex((item) => item.role === "user");
      const prompt = history[start];
      const [part] = prompt?.role === "user" ? prompt.parts : [];
      const steps = part?.type === "text" ? (JSON.parse(part.text) as readonly Step[]) : [];
      // Each reply of the model is one step, even without tool calls.
      const replyCount = history.slice(start).filter((item) => item.role === "model").length;
      yield* play({ steps, replyCount });
    },
  };
}

/** Creates a read-only tool and a writing tool, which count in `runs` how often each call ran. */
function countingTools(runs: Map<string, number>): readonly Tool[] {
  const tool = (name: string, isReadOnly: boolean): Tool => ({
    name,
    description: name,
    parameters: { type: "object" },
    isReadOnly,
    plan: async () => ({
      description: name,
      actions: isReadOnly ? [] : [{ type: "edit", path: "/x", isInside: true }],
      details: { $case: "genericDetails", value: { description: name } },
    }),
    async run(_input, { toolCallId }) {
      runs.set(toolCallId, (runs.get(toolCallId) ?? 0) + 1);
      // A crash can happen during this wait, while the tool runs.
      await new Promise(setImmediate);
      return { result: { $case: "text", value: "ok" } };
    },
  });
  return [tool("look", true), tool("touch", false)];
}

/**
 * A connection to a ledger. `cut` simulates a crash: later entries are dropped, and their appends never
 * resolve.
 */
function openConnection(ledger: MemoryLedger): AgentLedger & { cut(): void } {
  let isCut = false;
  return {
    append: (entry) => (isCut ? new Promise<never>(() => {}) : ledger.append(entry)),
    publishLive: (event) => isCut || ledger.publishLive(event),
    cut() {
      isCut = true;
    },
  };
}

/** Checks the rules over all events that subscribers saw. */
function checkEvents(events: readonly SessionEvent[], runs: ReadonlyMap<string, number>): void {
  const statuses = new Map<string, string>();
  const answers = new Map<string, string>();
  const tasks = new Map<string, TaskState>();
  const always: { principal: string; turn: number }[] = [];
  let prompter = "";
  let turns = 0;
  const legal: Record<string, readonly string[]> = {
    "": ["PENDING"],
    PENDING: ["PENDING", "EXECUTING", "CANCELLED", "FAILED"],
    EXECUTING: ["EXECUTING", "SUCCEEDED", "FAILED", "CANCELLED"],
    SUCCEEDED: [],
    FAILED: [],
    CANCELLED: [],
  };
  for (const event of events) {
    const before = tasks.get(event.taskId) ?? "submitted";
    expect(canMoveTask(before, event.state), `${before} to ${event.state}`).toBe(true);
    tasks.set(event.taskId, event.state);
    if (event.kind === "USER_PROMPT") prompter = event.origin.principal;
    if (event.kind === "STATE_CHANGE" && event.state === "working") turns += 1;
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    const { toolCallId, status, toolName } = event.toolCall;
    const was = statuses.get(toolCallId) ?? "";
    expect(legal[was], `${toolCallId}: ${was} to ${status}`).toContain(status);
    statuses.set(toolCallId, status);
    if (event.answer !== undefined) {
      const { selectedOptionId, origin } = event.answer;
      expect(answers.has(toolCallId), "answered twice").toBe(false);
      answers.set(toolCallId, selectedOptionId);
      if (selectedOptionId === "proceed_always") {
        always.push({ principal: origin?.principal ?? "", turn: turns });
      }
    }
    if (toolName === "touch" && status === "EXECUTING" && was === "PENDING") {
      const isRemembered = always.some(
        ({ principal, turn }) => principal === prompter || turn === turns,
      );
      const isApproved = answers.get(toolCallId)?.startsWith("proceed") === true;
      expect(isRemembered || isApproved, "started without approval").toBe(true);
    }
  }
  for (const [toolCallId, count] of runs) {
    expect(count, `${toolCallId} ran ${count} times`).toBe(1);
    expect(statuses.get(toolCallId), "ran without an event").toMatch(
      /EXECUTING|SUCCEEDED|FAILED|CANCELLED/,
    );
  }
}

/**
 * Checks that a task ends only when none of its prompts waits, because subscribers stop reading when the task
 * ends. Also checks that a change of the queue changes no task's state, and that every task which is still
 * `submitted` or `working` at the end has the running turn or a waiting prompt.
 */
function checkEnds(
  events: readonly SessionEvent[],
  taskOf: ReadonlyMap<string, string>,
  finalState: SessionState,
): void {
  const tasks = new Map<string, TaskState>();
  let waiting: readonly string[] = [];
  for (const event of events) {
    const { taskId, state } = event;
    if (event.kind === "QUEUE") {
      expect(state, "a change of the queue changed a task's state").toBe(
        tasks.get(taskId) ?? "submitted",
      );
      waiting = event.prompts.flatMap(({ messageId }) => taskOf.get(messageId) ?? []);
    }
    const hasEnded = isTerminalState(state) && !isTerminalState(tasks.get(taskId) ?? "working");
    if (hasEnded) expect(waiting, "ended while prompts wait").not.toContain(taskId);
    tasks.set(taskId, state);
  }
  const busy = [finalState.turn?.prompt, ...finalState.queue].map((prompt) => prompt?.taskId);
  for (const [taskId, state] of tasks) {
    if (state === "working" || state === "submitted") expect(busy).toContain(taskId);
  }
}

/** Checks that the open task first waits for input, and never becomes `failed` or `canceled`. */
function checkOpenTask(events: readonly SessionEvent[]): void {
  const states = events.filter(({ taskId }) => taskId === OPEN_TASK).map(({ state }) => state);
  expect(states.slice(0, 3)).toEqual(["submitted", "working", "input-required"]);
  expect(states).not.toContain("failed");
  expect(states).not.toContain("canceled");
}

/** Plays random sequences. Throws an error that contains the sequence if a sequence breaks a rule. */
export async function checkSessionRules(options: { numRuns: number; seed: number }): Promise<void> {
  await using workspace = await openTempWorkspace();
  await fc.assert(
    fc.asyncProperty(sequence, fc.boolean(), async (acts, hasOpenTask) => {
      const ledger = openMemoryLedger();
      const runs = new Map<string, number>();
      const model = stepModel();
      let ids = 0;
      let messages = 0;
      let connection = openConnection(ledger);
      const open = () =>
        openDrivenSession({
          model,
          tools: countingTools(runs),
          workspace,
          ledger: connection,
          journal: [...ledger.journal],
          createId: () => `call-${++ids}`,
          ...(hasOpenTask && { openTaskId: OPEN_TASK }),
        });
      const taskOf = new Map<string, string>();
      let session = await open();

      for (const next of acts) {
        switch (next.type) {
          case "prompt": {
            const { taskId } = await session.prompt(
              {
                messageId: `m${++messages}`,
                taskId: `t${next.task}`,
                parts: [{ type: "text", text: JSON.stringify(next.steps) }],
              },
              next.by,
              { steer: next.isSteering },
            );
            taskOf.set(`m${messages}`, taskId);
            break;
          }
          case "answer": {
            // Lets the turn reach its questions.
            for (let tick = 0; tick < 4; tick += 1) await new Promise(setImmediate);
            const waiting = (session.snapshot().turn?.calls ?? []).filter(
              ({ toolCall }) => toolCall.confirmationRequest,
            );
            const call = waiting[next.which % Math.max(waiting.length, 1)];
            if (call === undefined) break;
            const confirmation = {
              toolCallId: call.toolCall.toolCallId,
              selectedOptionId: next.optionId,
              modifiedDetails: undefined,
            };
            const verdicts = await Promise.all([
              session.answer(confirmation, next.which % 2 === 0 ? ALICE : BOB),
              ...(next.isSentTwice ? [session.answer(confirmation, BOB)] : []),
            ]);
            expect(verdicts.filter((verdict) => verdict.accepted)).toHaveLength(1);
            break;
          }
          case "withdraw":
            await session.withdraw(`m${next.which}`);
            break;
          case "retry":
            await session.retry();
            break;
          case "cancel":
            await session.cancel(`t${next.task}`);
            break;
          case "settle":
            await new Promise(setImmediate);
            break;
          case "crash":
            connection.cut();
            connection = openConnection(ledger);
            session = await open();
            break;
          case "close": {
            await session.close();
            const closed = session.snapshot();
            const folded = (ledger.journal as readonly JournalRecord[]).reduce(
              reduceSessionState,
              EMPTY_SESSION_STATE,
            );
            expect(folded).toEqual(closed);
            session = await open();
            break;
          }
          case "finish": {
            const isWaiting = session
              .snapshot()
              .turn?.calls.some(({ toolCall }) => toolCall.confirmationRequest);
            const isFinished = await session.finish();
            const { turn, queue } = session.snapshot();
            if (isFinished) expect([turn, queue.length]).toEqual([undefined, 0]);
            else expect(isWaiting).toBe(true);
            await session.close();
            session = await open();
          }
        }
      }
      await session.close();
      checkEvents(ledger.events, runs);
      checkEnds(ledger.events, taskOf, session.snapshot());
      if (hasOpenTask) checkOpenTask(ledger.events);
    }),
    options,
  );
}
