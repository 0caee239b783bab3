import {
  type AgentPort,
  type Caller,
  isTerminalState,
  type OpenAgentOptions,
  type PromptContent,
  type SessionReply,
  type SessionRequest,
  toOrigin,
} from "@dt/schema";
import { restoreSession } from "./executor-journal.js";
import { ExecutorTask, type ExecutorTaskOptions } from "./executor-task.js";

/** Options of {@link openExecutorSession}. */
export type ExecutorSessionOptions = OpenAgentOptions &
  Omit<ExecutorTaskOptions, "commits" | "onEnded">;

/** Opens the session of an executor, new or restored. Interrupted turns fail, and waiting prompts run. */
export async function openExecutorSession(options: ExecutorSessionOptions): Promise<AgentPort> {
  const { turns, waiting, interrupted, queue } = restoreSession(options.journal);
  const session = new ExecutorSession(options, turns);
  const reason = options.interruption ?? "interrupted by a restart";
  for (const view of waiting.values()) session.open(view.taskId).resume(view);
  for (const prompt of queue) session.open(prompt.taskId).enqueue(prompt);
  for (const [taskId, turn] of interrupted) await session.open(taskId).interrupt(turn, reason);
  for (const { taskId } of queue) await session.open(taskId).startNext();
  return session;
}

/** The session of an executor. It forgets ended tasks, so that a long session needs no more memory than a short one. */
class ExecutorSession implements AgentPort {
  private readonly tasks = new Map<string, ExecutorTask>();
  private readonly commits = new Set<Promise<unknown>>();
  private readonly taskOptions: ExecutorTaskOptions;
  private turns: number;

  constructor(options: ExecutorSessionOptions, turns: number) {
    const { commits } = this;
    this.turns = turns;
    this.taskOptions = { ...options, commits, onEnded: (taskId) => this.tasks.delete(taskId) };
  }

  /** Returns a task; creates the task if it is new, or if it has ended and was forgotten. */
  open(taskId: string): ExecutorTask {
    const task = this.tasks.get(taskId) ?? new ExecutorTask(taskId, this.taskOptions);
    this.tasks.set(taskId, task);
    return task;
  }

  async handle(request: SessionRequest, caller: Caller): Promise<SessionReply> {
    switch (request.type) {
      case "prompt":
      case "steer":
        return await this.prompt(request, caller);
      case "open-task": {
        const { taskId } = request;
        const afterPosition = await this.open(taskId).create(this.turns);
        return { type: "ticket", ticket: { taskId, turn: this.turns, afterPosition } };
      }
      case "get-metadata":
        return { type: "metadata", metadata: { model: "", mcpServers: [], availableTools: [] } };
      case "withdraw":
        return { type: "changed", isChanged: await this.withdraw(request.messageId) };
      case "cancel": {
        const isChanged = (await this.tasks.get(request.taskId)?.cancel()) ?? false;
        return { type: "changed", isChanged };
      }
      case "answer": {
        const unknown = { accepted: false, reason: "unknown" } as const;
        return { type: "answered", verdicts: request.answers.map(() => unknown) };
      }
      case "retry":
        return { type: "ticket" };
      case "list-commands":
        return { type: "commands", commands: [] };
      case "command": {
        const message = `there is no command /${request.path.join(" ")}`;
        return { type: "command", status: "FAILED_TO_START", message };
      }
      case "get-modes":
        return { type: "modes", mode: "default", startMode: "default", others: [] };
      default: {
        const message = `an executor does not know the request ${request.type}`;
        return { type: "refused", code: "unsupported-operation", message };
      }
    }
  }

  async close(): Promise<void> {
    for (const task of this.tasks.values()) task.close();
    await Promise.allSettled(this.commits);
  }

  private async prompt(prompt: PromptContent, caller: Caller): Promise<SessionReply> {
    const { taskId, taskState } = prompt;
    if (taskState !== undefined && !isTerminalState(taskState) && !this.tasks.has(taskId)) {
      const message = `the task ${taskId} has ended; send the message without a taskId`;
      return { type: "refused", code: "unsupported-operation", message };
    }
    this.turns += 1;
    const accepted = { turn: this.turns, user: caller.user, origin: toOrigin(caller) };
    const ticket = await this.open(taskId).accept({ ...prompt, ...accepted });
    return { type: "ticket", ticket };
  }

  private async withdraw(messageId: string): Promise<boolean> {
    for (const task of this.tasks.values()) {
      if (await task.withdraw(messageId)) return true;
    }
    return false;
  }
}
