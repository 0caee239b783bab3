import { fileURLToPath } from "node:url";
import { createExternalAgent, type ExternalAgentChoice } from "@dt/acp";
import {
  createExternalEngine,
  createSession,
  type ExternalEngineOptions,
  openMemoryLedger,
  openWorkspace,
} from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import {
  type Caller,
  driveAgent,
  type PermissionMode,
  type SessionEvent,
  type ToolCall,
} from "@dt/schema";

/** Path of the external agent for tests. Each line of a prompt is an order that it follows. */
export const ORDERS_AGENT = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));

const ALICE: Caller = { user: "alice", name: "Alice", role: "admin" };

/** Options of {@link openExternalStage}. */
export interface ExternalStageOptions
  extends Omit<ExternalAgentChoice, "agent">,
    Pick<
      Partial<ExternalEngineOptions>,
      "checkpoints" | "maxWorkMs" | "isToolAllowed" | "budget" | "prices"
    > {
  /** Mode of the agent that follows orders, for example one in which it never answers. */
  readonly agentMode?: string;
  /** Command line of another agent. */
  readonly command?: string;
  readonly mode?: PermissionMode;
}

/** Opens a session whose turns the agent of `acp-agent.mjs` runs, in a process of its own. */
export async function openExternalStage(options: ExternalStageOptions = {}) {
  const {
    agentMode = "",
    mode = "default",
    command,
    checkpoints,
    maxWorkMs,
    isToolAllowed,
    budget,
    prices,
    ...choice
  } = options;
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  let prompts = 0;
  let session = await open();
  let agent = driveAgent(session.session);

  async function open() {
    const engine = createExternalEngine({
      agent: createExternalAgent({
        ...choice,
        agent: command ?? `"${process.execPath}" "${ORDERS_AGENT}" ${agentMode}`,
      }),
      workspace: await openWorkspace(workspace.root),
      environment: { ...process.env, AGENT_KEY: "secret-of-the-agent", OTHER_SECRET: "hidden" },
      ...(checkpoints !== undefined && { checkpoints }),
      maxWorkMs,
      budget,
      prices,
      ...(isToolAllowed !== undefined && { isToolAllowed }),
    });
    const opened = await createSession({ engine, ledger, mode, journal: [...ledger.journal] });
    return { engine, session: opened };
  }

  async function close() {
    await session.session.close();
    await session.engine.close();
  }

  async function until(fits: (event: SessionEvent) => boolean, after = 0): Promise<SessionEvent> {
    for await (const event of ledger.read({ after })) if (fits(event)) return event;
    throw new Error("the ledger ended");
  }

  const stage = {
    workspace,
    ledger,
    agent: () => agent,
    until,
    /** Sends a prompt; each line is an order. Resolves when it is accepted. */
    async send(...orders: string[]) {
      prompts += 1;
      const id = `prompt-${prompts}`;
      const text = orders.join("\n");
      const prompt = { messageId: id, taskId: id, parts: [{ type: "text", text }] } as const;
      return await agent.prompt(prompt, ALICE);
    },
    /** Sends a prompt; resolves with the last event of its turn. */
    async run(...orders: string[]) {
      const { taskId, afterPosition } = await stage.send(...orders);
      return await stage.end(taskId, afterPosition);
    },
    end: (taskId: string, after = 0) =>
      until(
        (event) =>
          event.taskId === taskId &&
          event.kind === "STATE_CHANGE" &&
          ["completed", "failed", "canceled"].includes(event.state),
        after,
      ),
    /** Resolves with the next open question after a position. */
    async question(after = 0): Promise<ToolCall> {
      const event = await until(isQuestion, after);
      if (event.kind !== "TOOL_CALL_UPDATE") throw new Error("this is no question");
      return event.toolCall;
    },
    async answer({ toolCallId }: ToolCall, selectedOptionId = "proceed_once") {
      const answers = [{ toolCallId, selectedOptionId, modifiedDetails: undefined }];
      const [verdict] = await agent.answer({ answers }, ALICE);
      return verdict;
    },
    cancel: (taskId: string) => agent.cancel(taskId, ALICE),
    command: (path: string, args = "") => {
      prompts += 1;
      const id = `prompt-${prompts}`;
      return agent.runCommand({ messageId: id, taskId: id, path: [path], args }, ALICE);
    },
    /** Returns all text of the agent. */
    text: () =>
      ledger.events
        .flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : []))
        .join(""),
    /** Returns the statuses of each call, by its description. */
    calls() {
      const statuses: Record<string, string[]> = {};
      for (const event of ledger.events) {
        if (event.kind !== "TOOL_CALL_UPDATE") continue;
        const { description = "", status, confirmationRequest } = event.toolCall;
        const shown = confirmationRequest === undefined ? status : `${status}?`;
        statuses[description] = [...(statuses[description] ?? []), shown];
      }
      return statuses;
    },
    warnings: () =>
      ledger.events.flatMap((event) => (event.kind === "WARNING" ? [event.warning.message] : [])),
    /** Closes the session and opens it again from its journal, as a restart does. */
    async restart() {
      await close();
      session = await open();
      agent = driveAgent(session.session);
    },
    async [Symbol.asyncDispose]() {
      await close();
      await workspace[Symbol.asyncDispose]();
    },
  };
  return stage;
}

function isQuestion(event: SessionEvent): boolean {
  return event.kind === "TOOL_CALL_UPDATE" && event.toolCall.confirmationRequest !== undefined;
}
