import { setImmediate } from "node:timers/promises";
import { type AgentMetadata, encodePolicy, type JsonObject, type TaskView } from "@dt/schema";
import { encodeNotesMetadata } from "@dt/schema/wire";
import { readTaskView } from "../../log/views/read-task-view.js";
import type { SessionHost } from "../../sessions/session-host.js";
import type { TaskRecord } from "../../store/session-store.js";
import type { RpcContext, RpcOutcome } from "../rpc-context.js";
import { getTaskForCaller } from "../tasks/shared-session.js";
import { listerOf } from "../tasks/task-lister.js";

/** Maximum number of tasks on a page, and the default. */
const MAX_PAGE_TASKS = 100;

/** A page of `GET /tasks/metadata`. */
export interface MetadataPage {
  readonly tasks: readonly JsonObject[];
  /** Token of the next page. */
  readonly next?: string;
}

/**
 * `GET /tasks/:taskId/metadata`: returns the state of a task, and the model, MCP servers and tools of its agent. The
 * agent is opened if necessary. (protocol notes, Task metadata)
 */
export async function getMetadata(taskId: string, context: RpcContext): Promise<RpcOutcome> {
  const { host } = await getTaskForCaller(taskId, context);
  const agent = await findAgentMetadata(host, context);
  const metadata = encodeNotesMetadata(await host.log.view(taskId), agent);
  const policy = encodePolicy(context.policy ?? {});
  const limits = Object.keys(policy).length === 0 ? {} : { policy };
  return { type: "result", result: { metadata: { ...metadata, ...limits } } };
}

/**
 * `GET /tasks/metadata`: lists the tasks of the caller, the latest change first. No agent is opened, so the list shows
 * MCP servers and tools only for tasks whose agent is in memory. (protocol notes, Custom endpoints)
 */
export async function listMetadata(
  { limit = MAX_PAGE_TASKS, after }: { readonly limit?: number; readonly after?: string },
  context: RpcContext,
): Promise<RpcOutcome> {
  const { tasks, next } = await listerOf(context).listTasks({
    owner: context.caller.user,
    limit: Math.min(limit, MAX_PAGE_TASKS),
    ...(after !== undefined && { after }),
  });
  const agents = new Map<string, Promise<AgentMetadata | undefined>>();
  const listed: JsonObject[] = [];
  for (const task of tasks) {
    const { contextId } = task;
    const agent = agents.get(contextId) ?? findOpenMetadata(contextId, context);
    agents.set(contextId, agent);
    // Lets other work run between long tasks.
    await setImmediate();
    listed.push(encodeNotesMetadata(await readView(task, context), await agent));
  }
  const page: MetadataPage = { tasks: listed, ...(next !== undefined && { next }) };
  return { type: "result", result: page };
}

/**
 * Returns the metadata of a session's agent; undefined if the agent cannot be opened, e.g. if its workspace
 * is gone.
 */
async function findAgentMetadata(
  host: SessionHost,
  { caller }: RpcContext,
): Promise<AgentMetadata | undefined> {
  return await host.agent.getMetadata(caller).catch(() => undefined);
}

async function findOpenMetadata(
  contextId: string,
  context: RpcContext,
): Promise<AgentMetadata | undefined> {
  const host = context.sessions.findOpen(contextId);
  return host?.isOwned === true ? await findAgentMetadata(host, context) : undefined;
}

async function readView(task: TaskRecord, context: RpcContext): Promise<TaskView> {
  const host = context.sessions.findOpen(task.contextId);
  return (await host?.log.view(task.taskId)) ?? (await readTaskView(listerOf(context), task));
}
