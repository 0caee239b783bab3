import type { AgentPort, Caller, OpenAgentOptions, StampedEvent, TaskState } from "@dt/schema";
import type { Limits } from "../access/limits/limits.js";
import { openSessionRegistry, type SessionRegistryOptions } from "../sessions/session-registry.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { SessionStore } from "../store/session-store.js";

/** The user of most tests. */
export const TEST_OWNER: Caller = { user: "alice", name: "alice", role: "admin" };
/** The settings of most tests. */
export const TEST_SETTINGS = { workspacePath: "/", allowedTools: [], mcpServers: {} };

/** Opens an agent whose turns end only when a test calls `finish`. */
export function openManualAgent({ ledger, journal, contextId }: OpenAgentOptions) {
  const log: string[] = journal.map((record) => String(record.type));
  const event = (taskId: string, state: TaskState): StampedEvent => ({
    kind: "STATE_CHANGE",
    taskId,
    turn: 1,
    state,
    at: "2026-01-01T00:00:00.000Z",
  });
  const agent: AgentPort = {
    async handle(request) {
      if (request.type !== "prompt") throw new Error(`the manual agent has no ${request.type}`);
      const { taskId } = request;
      const journal = [{ type: `prompted ${taskId}` }];
      const entry = { events: [event(taskId, "working")], journal };
      const afterPosition = await ledger.append(entry);
      return { type: "ticket", ticket: { taskId, turn: 1, afterPosition } };
    },
    async close() {
      log.push("closed");
    },
  };
  const ask = async (taskId: string) => {
    const toolCall = { toolCallId: "call", toolName: "x", status: "PENDING", input: {} } as const;
    const waiting = [{ ...toolCall, confirmationRequest: { title: "?", options: [] } }];
    const asked = { ...event(taskId, "input-required"), waiting } as unknown as StampedEvent;
    return await ledger.append({ events: [asked] });
  };
  const finish = async (taskId: string, state: TaskState = "completed") =>
    await ledger.append({ events: [event(taskId, state)] });
  return { agent, log, finish, ask, contextId };
}

/** Creates a wall clock and a monotonic clock that a test sets. */
function createTestClock() {
  const clock = { ms: Date.parse("2026-01-01T00:00:00.000Z"), elapsedMs: 0, pass };
  function pass(ms: number): void {
    clock.ms += ms;
    clock.elapsedMs += ms;
  }
  return clock;
}

/** Opens a registry with manual agents and a clock that a test sets. */
export function openTestRegistry(
  limits: Partial<Limits> = {},
  store: SessionStore = openMemoryStore(),
  options: Partial<SessionRegistryOptions> = {},
) {
  const agents: ReturnType<typeof openManualAgent>[] = [];
  const faults: unknown[] = [];
  const clock = createTestClock();
  const registry = openSessionRegistry({
    store,
    limits,
    now: () => new Date(clock.ms),
    elapsedMs: () => clock.elapsedMs,
    onFault: (reason) => faults.push(reason),
    async openAgent(options) {
      const opened = openManualAgent(options);
      agents.push(opened);
      return opened.agent;
    },
    ...options,
  });
  const start = async (name: string, caller = TEST_OWNER) => {
    const host = await registry.createSession(
      { contextId: `context-${name}`, settings: TEST_SETTINGS },
      caller,
    );
    const prompted = host.agent.prompt({ messageId: name, taskId: name, parts: [] }, caller);
    return { host, prompted };
  };
  return { registry, agents, faults, clock, store, start };
}
