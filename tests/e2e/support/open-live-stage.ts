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

/** What a stage can be told. */
export interface LiveStageOptions {
  /** Opens the store; asked again when the session is resumed. */
  readonly openStore?: () => SessionStore;
  /** How freely the session may act. */
  readonly mode?: PermissionMode;
  readonly server?: LiveServerOptions;
}

/** Runs a shell command, which asks. */
const shell: Command = {
  name: "shell",
  description: "runs a shell command",
  run: async ({ args }) => ({
    type: "ask",
    calls: [{ toolName: "run_shell_command", input: { command: args } }],
    next: async () => ({ type: "done", say: "the shell is done" }),
  }),
};

/** Someone at the terminal. */
export const terminal = {
  user: "terminal",
  name: "terminal",
  credential: "terminal",
  role: "admin",
} as const satisfies Caller;

/**
 * A terminal without its screen: a live session with a real agent, someone who types and answers, and
 * the endpoint that serves it to others.
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
          hostCredential: terminal.credential,
          isCredentialAlive: (credential) =>
            credential === terminal.credential || isCredentialAlive(credential),
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
    /** The workspaces that the person trusts. */
    trusted: () => createTrust({ file: trustFile(home.root) }).list(),
    /** Prompts as someone at the terminal does. */
    async type(text: string) {
      messages += 1;
      return await live.agent.prompt(
        {
          messageId: `typed-${messages}`,
          taskId: live.taskId,
          parts: [{ type: "text", text }],
        },
        terminal,
      );
    },
    /** Answers as someone at the terminal does. */
    async answer(toolCallId: string, selectedOptionId: string): Promise<AnswerVerdict> {
      const answers = [{ toolCallId, selectedOptionId, modifiedDetails: undefined }];
      const [verdict] = await live.agent.answer({ answers }, terminal);
      if (verdict === undefined) throw new Error("the agent gave no verdict");
      return verdict;
    },
    /** The first event of the session that fits, here already or still to come, from a place on. */
    async until(fits: (event: SessionEvent) => boolean, after?: string): Promise<SessionEvent> {
      for await (const batch of live.events(after === undefined ? {} : { after })) {
        const found = batch.find(fits);
        if (found !== undefined) return found;
      }
      throw new Error("the session was closed before such an event");
    },
    /** The id of the call that asks, as the terminal sees it. */
    async question(after?: string): Promise<string> {
      const asked = await this.until(
        (event) => event.kind === "STATE_CHANGE" && (event.waiting?.length ?? 0) > 0,
        after,
      );
      return (asked.kind === "STATE_CHANGE" && asked.waiting?.[0]?.toolCallId) || "";
    },
    /** Leaves the terminal and comes back to the same session, at a new address. */
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

/** The task rests: nothing runs and nobody is asked. */
export const rests = (event: SessionEvent): boolean =>
  event.kind === "STATE_CHANGE" && event.state === "input-required" && !event.waiting?.length;
