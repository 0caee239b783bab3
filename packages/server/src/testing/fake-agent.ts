import {
  type AgentPort,
  type Caller,
  type OpenAgent,
  type OpenAgentOptions,
  type Origin,
  type PromptContent,
  type SessionReply,
  type SessionRequest,
  type TaskState,
  type Ticket,
  type ToolCallConfirmation,
  textOf,
  toOrigin,
} from "@dt/schema";
import { createFakeQuestions, type FakeEvent } from "./fake-questions.js";
import { echoPrompt, type ScriptedEnd, type ScriptedTurn, type TurnScript } from "./fake-turn.js";

/** States through which a new task goes until it waits for a prompt. */
const NEW_TASK_STATES = ["submitted", "working", "input-required"] as const;

interface QueuedPrompt extends PromptContent {
  readonly turn: number;
  readonly origin: Origin;
}

/**
 * Creates an agent that runs the script of a test and commits to a real ledger. It runs one turn at a time, queues
 * prompts, and accepts the first answer to a question. A restart loses its turns and its queue.
 */
export function createScriptedAgent(script: TurnScript = echoPrompt): OpenAgent {
  return async (options) => await openFakeSession(script, options);
}

async function openFakeSession(
  script: TurnScript,
  { ledger, journal, openTaskId }: OpenAgentOptions,
): Promise<AgentPort> {
  const states = new Map<string, TaskState>();
  const queue: QueuedPrompt[] = [];
  const closing = new AbortController();
  let turns = 0;
  let running: { readonly prompt: QueuedPrompt; readonly abort: AbortController } | undefined;
  let work: Promise<void> = Promise.resolve();

  /** Commits events. Returns the position before the first of them. */
  async function commit(events: readonly FakeEvent[], prompt?: QueuedPrompt): Promise<number> {
    const at = new Date().toISOString();
    for (const { taskId, state } of events) states.set(taskId, state);
    return await ledger.append({
      events: events.map((event) => ({ ...event, at })),
      ...(prompt && {
        receipt: {
          user: prompt.origin.principal,
          messageId: prompt.messageId,
          taskId: prompt.taskId,
          turn: prompt.turn,
          ...(prompt.digest !== undefined && { digest: prompt.digest }),
        },
      }),
    });
  }
  const questions = createFakeQuestions(commit);

  /** Returns the state of a task after a turn. The open task is always input-required. */
  function stateAfterTurn(taskId: string, state: TaskState): TaskState {
    return taskId === openTaskId ? "input-required" : state;
  }

  /** Builds the events that end a turn. A task with a queued prompt continues. */
  function endEvents(header: { taskId: string; turn: number }, end: ScriptedEnd): FakeEvent[] {
    const { taskId } = header;
    const next = queue.find((waiting) => waiting.taskId === taskId);
    const change = { kind: "STATE_CHANGE" as const, taskId };
    if (next === undefined)
      return [{ ...change, ...header, ...end, state: stateAfterTurn(taskId, end.state) }];
    const idle = { ...change, ...header, state: "input-required" as const };
    if (taskId === openTaskId) return [idle];
    return [idle, { ...change, turn: next.turn, state: "working" }];
  }

  async function moveOpenTask(...through: readonly TaskState[]): Promise<void> {
    if (openTaskId === undefined) return;
    const header = { kind: "STATE_CHANGE" as const, taskId: openTaskId, turn: turns };
    await commit(through.map((state) => ({ ...header, state })));
  }

  function queueEvent({ taskId, turn }: QueuedPrompt) {
    const prompts = queue.map(({ messageId, parts, origin }) => ({
      messageId,
      text: textOf(parts),
      origin,
    }));
    const state = states.get(taskId) ?? ("submitted" as const);
    return { kind: "QUEUE" as const, prompts, taskId, turn, state };
  }

  function startEvents({ taskId, turn, messageId, parts, origin }: QueuedPrompt) {
    const state = states.get(taskId) ?? ("submitted" as const);
    return [
      { kind: "USER_PROMPT" as const, messageId, parts, origin, taskId, turn, state },
      { kind: "STATE_CHANGE" as const, taskId, turn, state: "working" as const },
    ];
  }

  async function runTurn(prompt: QueuedPrompt, abort: AbortController): Promise<void> {
    const { taskId, turn } = prompt;
    let end: ScriptedEnd = { state: "completed" };
    try {
      const returned = (await script(buildTurn(prompt, abort.signal))) ?? "completed";
      end = typeof returned === "string" ? { state: returned } : returned;
    } catch {
      end = { state: "failed" };
    }
    running = undefined;
    if (closing.signal.aborted || abort.signal.aborted) return;
    await commit(endEvents({ taskId, turn }, end));
    const next = queue.shift();
    if (next === undefined) return;
    await commit([queueEvent(next), ...startEvents(next)]);
    start(next);
  }

  function start(prompt: QueuedPrompt): void {
    const abort = new AbortController();
    running = { prompt, abort };
    work = runTurn(prompt, abort);
  }

  function buildTurn(
    { taskId, turn, parts, origin }: QueuedPrompt,
    signal: AbortSignal,
  ): ScriptedTurn {
    const emit: ScriptedTurn["emit"] = async (event, { state = "working" } = {}) => {
      if (!signal.aborted) await commit([{ ...event, taskId, turn, state }]);
    };
    return {
      taskId,
      turn,
      origin,
      signal,
      emit,
      text: textOf(parts),
      say: (text) => emit({ kind: "TEXT_CONTENT", text }),
      async ask(...calls) {
        const answers = calls.map((call) => questions.open(call, { taskId, turn }));
        await commit([
          ...calls.map((toolCall) => ({
            kind: "TOOL_CALL_UPDATE" as const,
            toolCall,
            taskId,
            turn,
            state: "working" as const,
          })),
          { kind: "STATE_CHANGE", waiting: calls, taskId, turn, state: "input-required" },
        ]);
        return await Promise.all(answers);
      },
      showLive: (toolCall) =>
        ledger.publishLive({
          kind: "TOOL_CALL_UPDATE",
          toolCall,
          taskId,
          turn,
          state: "working",
          at: new Date().toISOString(),
        }),
    };
  }

  const methods = {
    async prompt(prompt: PromptContent, caller: Caller): Promise<Ticket> {
      const origin = toOrigin(caller);
      turns += 1;
      const accepted: QueuedPrompt = { ...prompt, origin, turn: turns };
      const { taskId, turn } = accepted;
      if (running !== undefined) {
        queue.push(accepted);
        return { taskId, turn, afterPosition: await commit([queueEvent(accepted)], accepted) };
      }
      // `running` is set before the commit, so that a prompt that arrives meanwhile is queued.
      const abort = new AbortController();
      running = { prompt: accepted, abort };
      const afterPosition = await commit(startEvents(accepted), accepted);
      work = runTurn(accepted, abort);
      return { taskId, turn, afterPosition };
    },
    async withdraw(messageId: string): Promise<boolean> {
      const waiting = queue.find((each) => each.messageId === messageId);
      if (waiting === undefined) return false;
      queue.splice(queue.indexOf(waiting), 1);
      await commit([queueEvent(waiting)]);
      return true;
    },
    async cancel(taskId: string): Promise<boolean> {
      const isRunning = running?.prompt.taskId === taskId;
      const withdrawn: FakeEvent[] = [];
      for (const waiting of queue.filter((each) => each.taskId === taskId)) {
        queue.splice(queue.indexOf(waiting), 1);
        withdrawn.push({ ...queueEvent(waiting), ...(isRunning && { state: "working" }) });
      }
      if (running?.prompt.taskId !== taskId) {
        if (withdrawn.length > 0) await commit(withdrawn);
        return false;
      }
      const { prompt, abort } = running;
      abort.abort();
      running = undefined;
      const header = { taskId, turn: prompt.turn };
      await commit([
        ...questions.cancel(taskId).map((toolCall) => ({
          kind: "TOOL_CALL_UPDATE" as const,
          toolCall,
          ...header,
          state: "working" as const,
        })),
        ...withdrawn,
        { kind: "STATE_CHANGE", ...header, state: stateAfterTurn(taskId, "canceled") },
      ]);
      return true;
    },
    async finish(): Promise<boolean> {
      if (running !== undefined && questions.waiting(running.prompt.taskId).length > 0)
        return false;
      if (running !== undefined) await methods.cancel(running.prompt.taskId);
      await moveOpenTask("completed");
      return true;
    },
  };
  async function handle(request: SessionRequest, caller: Caller): Promise<SessionReply> {
    switch (request.type) {
      case "prompt":
      case "steer":
        return { type: "ticket", ticket: await methods.prompt(request, caller) };
      case "answer": {
        const answer = (confirmation: ToolCallConfirmation) =>
          questions.answer(confirmation, toOrigin(caller));
        return { type: "answered", verdicts: await Promise.all(request.answers.map(answer)) };
      }
      case "open-task": {
        const { taskId } = request;
        const header = { kind: "STATE_CHANGE" as const, taskId, turn: turns };
        const through = states.has(taskId) ? [] : NEW_TASK_STATES;
        const afterPosition = await commit(through.map((state) => ({ ...header, state })));
        return { type: "ticket", ticket: { taskId, turn: turns, afterPosition } };
      }
      case "withdraw":
        return { type: "changed", isChanged: await methods.withdraw(request.messageId) };
      case "cancel":
        return { type: "changed", isChanged: await methods.cancel(request.taskId) };
      case "finish":
        return { type: "changed", isChanged: await methods.finish() };
      case "list-commands":
        return { type: "commands", commands: [] };
      case "get-modes":
        return { type: "modes", mode: "default", startMode: "default", others: [] };
      case "get-metadata":
        return {
          type: "metadata",
          metadata: { model: "fake", mcpServers: [], availableTools: [] },
        };
      case "command": {
        const message = `there is no command /${request.path.join(" ")}`;
        return { type: "command", status: "FAILED_TO_START", message };
      }
      default:
        return {
          type: "refused",
          code: "unsupported-operation",
          message: `the fake agent has no ${request.type}`,
        };
    }
  }

  const agent: AgentPort = {
    handle,
    async close() {
      closing.abort();
      running?.abort.abort();
      // Closing does not wait for a script that waits for an answer, because such a script never ends.
      await Promise.race([work, new Promise((resolve) => setImmediate(resolve))]);
    },
  };
  if (openTaskId !== undefined) {
    const isNew = journal.length === 0;
    await ledger.append({ events: [], journal: [{ type: "opened" }] });
    await moveOpenTask(...NEW_TASK_STATES.slice(isNew ? 0 : 1));
  }
  return agent;
}
