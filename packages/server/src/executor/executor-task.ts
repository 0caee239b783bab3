import type { AgentExecutor, ExecutionEventBus } from "@a2a-js/sdk/server";
import {
  isTerminalState,
  isWaitingState,
  pathBetween,
  type TaskState,
  type TaskView,
  type Ticket,
  textOf,
} from "@dt/schema";
import { createExecutionBus } from "./execution-bus.js";
import type { ExecutorPrompt } from "./executor-journal.js";
import type { CreateRequest } from "./request-factory.js";
import { TaskRecorder, type TaskRecorderOptions } from "./task-recorder.js";
import { decodeExecutionEvent, type TaskStep, toAgentEvents } from "./to-agent-events.js";

/** Options of an {@link ExecutorTask}. */
export interface ExecutorTaskOptions extends Omit<TaskRecorderOptions, "onRested"> {
  readonly executor: AgentExecutor;
  readonly createRequest: CreateRequest;
  /** Called with errors of the executor. */
  onFault(reason: unknown): void;
  /** Called when the task has ended, before the last change of its state is stored. */
  onEnded(taskId: string): void;
}

/** Error text for clients after an error of an executor. The error itself may contain secrets. */
const FAILED = "the agent failed; its operator can read the reason in the log";

/** One task of an executor: its prompts, and the turns that they start. */
export class ExecutorTask {
  private readonly taskId: string;
  private readonly options: ExecutorTaskOptions;
  private readonly recorder: TaskRecorder;
  private readonly queue: ExecutorPrompt[] = [];
  /** Number of the turn that began last. */
  private turn = 0;
  /** Number of the last turn that reached a final state, even if a queued prompt kept the task open. */
  private endedTurn = -1;
  private isNew = true;
  private isClosed = false;

  constructor(taskId: string, options: ExecutorTaskOptions) {
    this.taskId = taskId;
    this.options = options;
    const onRested = (state: TaskState) => {
      if (isTerminalState(state)) options.onEnded(taskId);
    };
    this.recorder = new TaskRecorder(taskId, { ...options, onRested });
  }

  /** Restores a task that waits for a client. */
  resume(view: TaskView): void {
    this.recorder.view = view;
    this.isNew = false;
  }

  /** Restores a prompt that waits for its turn. */
  enqueue(prompt: ExecutorPrompt): void {
    this.queue.push(prompt);
  }

  /** Ends a turn that a restart interrupted. */
  async interrupt(turn: number, error: string): Promise<void> {
    this.recorder.view = { ...this.recorder.view, state: "working" };
    this.isNew = false;
    await this.enter(turn, "failed", { error });
  }

  /**
   * Creates a task that waits for its first prompt. A task may not go from `submitted` to `input-required` directly
   * (SRV-07), so it enters `working` first.
   */
  async create(turn: number): Promise<number> {
    if (!this.isNew) return await this.recorder.append(turn, [], {});
    this.isNew = false;
    const states = ["submitted", "working", "input-required"] as const;
    const steps = states.map((state): TaskStep => ({ kind: "STATE_CHANGE", state }));
    return await this.recorder.append(turn, steps, {});
  }

  /** Starts the turn of a prompt, or queues the prompt if a turn of the task is running. */
  async accept(prompt: ExecutorPrompt): Promise<Ticket> {
    const { taskId, turn } = prompt;
    if (this.isWaiting) return { taskId, turn, afterPosition: await this.start(prompt) };
    this.queue.push(prompt);
    const afterPosition = await this.recorder.append(turn, [this.queueStep()], {
      journal: [{ type: "queued", prompt }],
      prompt,
    });
    return { taskId, turn, afterPosition };
  }

  /** Removes a prompt from the queue. Returns false if the prompt is not queued. */
  async withdraw(messageId: string): Promise<boolean> {
    const index = this.queue.findIndex((prompt) => prompt.messageId === messageId);
    const [prompt] = index < 0 ? [] : this.queue.splice(index, 1);
    if (prompt === undefined) return false;
    const journal = [{ type: "withdrawn", messageId } as const];
    await this.recorder.append(prompt.turn, [this.queueStep()], { journal });
    return true;
  }

  /** Cancels the task and withdraws its queued prompts. Returns false if the task had ended already. */
  async cancel(): Promise<boolean> {
    const { executor, onFault } = this.options;
    if (this.hasEnded) return false;
    const { turn } = this;
    for (const { messageId } of [...this.queue]) await this.withdraw(messageId);
    try {
      await executor.cancelTask(this.taskId, this.createBus(turn));
    } catch (reason) {
      onFault(reason);
    }
    if (!this.hasEnded) await this.enter(turn, "canceled");
    await this.recorder.settle();
    return true;
  }

  /** Ignores later events of the executor. */
  close(): void {
    this.isClosed = true;
  }

  /** Starts the first prompt of the queue if the task waits. */
  async startNext(): Promise<void> {
    const next = this.isWaiting && !this.isClosed ? this.queue.shift() : undefined;
    if (next !== undefined) await this.start(next, true);
  }

  private get hasEnded(): boolean {
    return !this.isNew && isTerminalState(this.recorder.view.state);
  }

  // Returns true if a turn has ended. An executor may still publish events of this turn; they are ignored.
  private isOver(turn: number): boolean {
    return this.hasEnded || turn !== this.turn || turn === this.endedTurn;
  }

  private get isWaiting(): boolean {
    return this.isNew || isWaitingState(this.recorder.view.state);
  }

  // Resolves when the prompt is stored. The executor then runs in the background, and its events end the turn.
  private async start(prompt: ExecutorPrompt, wasQueued = false): Promise<number> {
    const { createRequest, contextId } = this.options;
    const { recorder, taskId } = this;
    const { turn, messageId, parts, origin, taskState } = prompt;
    const before = this.isNew ? undefined : recorder.view;
    // If the prompt continues an ended task, only `taskState` is known, because ended tasks are not kept in memory.
    const state = before?.state ?? taskState ?? "submitted";
    this.turn = turn;
    this.isNew = false;
    const steps: readonly TaskStep[] = [
      ...(wasQueued ? [this.queueStep()] : []),
      { kind: "USER_PROMPT", messageId, parts, origin, state },
      { kind: "STATE_CHANGE", state: "working" },
    ];
    const afterPosition = await recorder.append(turn, steps, {
      journal: [{ type: "started", taskId, turn, messageId }],
      ...(!wasQueued && { prompt }),
    });
    void this.run(turn, createRequest(prompt, contextId, before));
    return afterPosition;
  }

  private async run(turn: number, request: ReturnType<ExecutorTaskOptions["createRequest"]>) {
    const { executor, onFault } = this.options;
    try {
      await executor.execute(request, this.createBus(turn));
      // An executor that returns has finished, even if it published no final state.
      if (!this.isOver(turn) && !this.isWaiting) await this.enter(turn, "completed");
    } catch (reason) {
      onFault(reason);
      if (this.isOver(turn)) return;
      await this.enter(turn, "failed", { error: FAILED }).catch(onFault);
    }
  }

  private createBus(turn: number): ExecutionEventBus {
    return createExecutionBus((event) => {
      if (this.isClosed || this.isOver(turn)) return;
      const frame = decodeExecutionEvent(event, this.recorder.view);
      const steps = toAgentEvents(frame, this.recorder.progress);
      // If the append fails, the session closes. It is then opened with a new agent, which ends the turn.
      if (steps.length > 0) this.record(turn, steps).catch(this.options.onFault);
    });
  }

  private async enter(turn: number, to: TaskState, header: { readonly error?: string } = {}) {
    if (this.isClosed) return;
    const path = pathBetween(this.recorder.view.state, to);
    await this.record(
      turn,
      path.map((state) => ({ kind: "STATE_CHANGE", state, ...(state === to && header) })),
    );
  }

  // Stores steps of a turn and starts the next prompt. While a prompt of the task is queued, the task does
  // not end, but enters `input-required`.
  private async record(turn: number, steps: readonly TaskStep[]): Promise<void> {
    if (steps.some(({ state }) => isTerminalState(state))) this.endedTurn = turn;
    const hasNext = this.queue.length > 0;
    const keepOpen = (step: TaskStep): TaskStep =>
      isTerminalState(step.state) ? { ...step, state: "input-required" } : step;
    await this.recorder.append(turn, hasNext ? steps.map(keepOpen) : steps, {});
    await this.startNext();
  }

  private queueStep(): TaskStep {
    const prompts = this.queue.map(({ messageId, parts, origin }) => {
      return { messageId, text: textOf(parts), origin };
    });
    return { kind: "QUEUE", prompts, state: this.recorder.view.state };
  }
}
