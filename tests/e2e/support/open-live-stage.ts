import path from "node:path";
import { type Command, createTrust, openAgentSession, trustFile } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import type { AnswerVerdict, Caller, PermissionMode, SessionEvent } from "@dt/schema";
import {
  type LiveServerOptions,
  type LiveSession,
  openLiveSession,
  openMemoryStore,
  type SessionStore,
} from "@dt/server";

export interface LiveStageOptions {
  /** Opens the store. The stage calls this function again when the session is resumed. */
  readonly openStore?: () => SessionStore;
  /** The permission mode of the session. */
  readonly mode?: PermissionMode;
  readonly server?: LiveServerOptions;
}

/** A slash command that runs a shell command, which asks for approval. */
const shell: Command = {
  name: "shell",
  description: "runs a shell command",
  run: async ({ args }) => ({
    type: "ask",
    calls: [{ toolName: "run_shell_command", input: { command: args } }],
    next: async () => ({ type: "done", say: "the shell is done" }),
  }),
};

/** The caller at the terminal. */
export const TERMINAL = {
  user: "terminal",
  name: "terminal",
  credential: "terminal",
  role: "admin",
} as const satisfies Caller;

/**
 * Opens a live session with a real agent and its endpoint. The stage types and answers as the person at the
 * terminal does, without a screen.
 */
export async function openLiveStage(options: LiveStageOptions = {}) {
  const { openStore = openMemoryStore, mode = "default" } = options;
  const [workspace, home] = await Promise.all([openTempWorkspace(), openTempWorkspace()]);
  const faults: unknown[] = [];
  const onFault = (reason: unknown) => void faults.push(reason);
  let messages = 0;

  let store = openStore();

  const open = (contextId?: string) =>
    openLiveSession({
      store,
      settings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
      onFault,
      ...(contextId !== undefined && { contextId }),
      openAgent: async ({ settings, ledger, journal, openTaskId, isCredentialAlive }) =>
        await openAgentSession({
          workspacePath: settings.workspacePath,
          home: home.root,
          environment: { PATH: process.env.PATH ?? "", DT_MODEL: "offline" },
          dataDirectory: path.join(home.root, "data"),
          commands: [shell],
          flags: { mode },
          ledger,
          journal,
          hostCredential: TERMINAL.credential,
          isCredentialAlive: (credential) =>
            credential === TERMINAL.credential || isCredentialAlive(credential),
          onFault,
          ...(openTaskId !== undefined && { openTaskId }),
        }),
    });
  let live = await open();
  let server = await live.serve({ onFault, ...options.server });

  return {
    workspace,
    faults,
    get live(): LiveSession {
      return live;
    },
    get server() {
      return server;
    },
    get url() {
      return server.url;
    },
    get wsUrl() {
      return `${server.url.replace("http", "ws")}ws`;
    },
    /** Lists the trusted workspaces. */
    trusted: () => createTrust({ file: trustFile(home.root) }).list(),
    /** Sends a prompt from the terminal. */
    async type(text: string) {
      messages += 1;
      return await live.agent.prompt(
        {
          messageId: `typed-${messages}`,
          taskId: live.taskId,
          parts: [{ type: "text", text }],
        },
        TERMINAL,
      );
    },
    /** Answers a question from the terminal. */
    async answer(toolCallId: string, selectedOptionId: string): Promise<AnswerVerdict> {
      const answers = [{ toolCallId, selectedOptionId, modifiedDetails: undefined }];
      const [verdict] = await live.agent.answer({ answers }, TERMINAL);
      if (verdict === undefined) throw new Error("the agent gave no verdict");
      return verdict;
    },
    /** Waits for the first matching event after a cursor. The event may be in the log already. */
    async until(fits: (event: SessionEvent) => boolean, after?: string): Promise<SessionEvent> {
      for await (const batch of live.events(after === undefined ? {} : { after })) {
        const found = batch.find(fits);
        if (found !== undefined) return found;
      }
      throw new Error("the session was closed before a matching event");
    },
    /** Waits for a question and returns the id of its tool call. */
    async question(after?: string): Promise<string> {
      const asked = await this.until(
        (event) => event.kind === "STATE_CHANGE" && (event.waiting?.length ?? 0) > 0,
        after,
      );
      return (asked.kind === "STATE_CHANGE" && asked.waiting?.[0]?.toolCallId) || "";
    },
    /** Closes the session and resumes it at a new address. */
    async resume() {
      await live.close();
      await store.close();
      store = openStore();
      live = await open(live.contextId);
      server = await live.serve({ onFault, ...options.server });
    },
    async [Symbol.asyncDispose]() {
      await live.close();
      await store.close();
      await Promise.all([workspace, home].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Returns true if the task is idle after this event, without an open question. */
export const isIdle = (event: SessionEvent): boolean =>
  event.kind === "STATE_CHANGE" && event.state === "input-required" && !event.waiting?.length;
