import type {
  ExternalAgent,
  ExternalHost,
  ExternalHostReply,
  ExternalOffer,
  ExternalSession,
} from "@dt/schema";
import { CommandError } from "../commands/command.js";
import type { Recorder } from "../record/recorder.js";
import { cleanEnvironment } from "../workspace/processes/clean-environment.js";
import { createProcessMark } from "../workspace/processes/process-mark.js";
import {
  type StartedAgentProcess,
  startAgentProcess,
} from "../workspace/processes/start-agent-process.js";

/** The process and the session of an external agent. Both are opened by the first turn. */
export interface AgentConnection {
  /**
   * Returns the open session. Starts the agent if it does not run, and continues its earlier session if the
   * agent can.
   */
  open(recorder: Recorder, signal: AbortSignal): Promise<OpenedExternalSession>;
  /** Sets the host of the running turn. Call it with undefined when the turn has ended. */
  setHost(host: ExternalHost | undefined): void;
  /** Returns the models, modes and commands that the agent offered last; undefined before the first session. */
  offer(): ExternalOffer | undefined;
  /** Chooses one of the offered modes or models. Throws if the agent does not run. */
  selectMode(modeId: string): Promise<void>;
  selectModel(modelId: string): Promise<void>;
  /**
   * Returns how many messages, other than offers and usage, the agent sent outside of turns since the last
   * call of this function.
   */
  takeLate(): number;
  /** Ends the agent's process. A later `open` starts it again. */
  close(): Promise<void>;
}

/** An open session. `warning` is set if the agent could not continue the earlier session. */
export interface OpenedExternalSession {
  readonly session: ExternalSession;
  readonly warning?: string;
}

/** Options of {@link createAgentConnection}. */
export interface AgentConnectionOptions {
  readonly agent: ExternalAgent;
  readonly workspacePath: string;
  /** Environment of the app; the process gets the harmless variables and those that its program needs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly elapsedMs?: (() => number) | undefined;
}

/** Creates the connection; nothing runs yet. */
export function createAgentConnection(options: AgentConnectionOptions): AgentConnection {
  const { agent } = options;
  let open:
    | { readonly process: StartedAgentProcess; readonly session: ExternalSession }
    | undefined;
  let lastOffer: ExternalOffer | undefined;
  let host: ExternalHost | undefined;
  let late = 0;

  /** Passes each message of the agent on to the host of the running turn. Counts messages that arrive between turns. */
  const current: ExternalHost = {
    async update(update) {
      if (host !== undefined) return await host.update(update);
      if (update.type !== "offer" && update.type !== "usage") late += 1;
    },
    async judge(call, signal) {
      late += host === undefined ? 1 : 0;
      return (await host?.judge(call, signal)) ?? "withdrawn";
    },
    readTextFile: async (file, signal) => (await host?.readTextFile(file, signal)) ?? refuseLate(),
    writeTextFile: async (file, signal) =>
      (await host?.writeTextFile(file, signal)) ?? refuseLate(),
    startTerminal: async (command, signal) =>
      (await host?.startTerminal(command, signal)) ?? refuseLate(),
  };

  function refuseLate<TValue>(): ExternalHostReply<TValue> {
    late += 1;
    return { isDone: false, fault: "refused", message: "no turn is running" };
  }

  async function start(recorder: Recorder, signal: AbortSignal): Promise<OpenedExternalSession> {
    const mark = createProcessMark();
    const earlier = recorder.state.external;
    // The mark is durable before the process exists, so that a restart finds the process.
    await recorder.commit({
      journal: [{ type: "external-started", agent: agent.name, mark }],
      isCritical: true,
    });
    const process = await startAgentProcess({ ...programOf(options), mark: mark.name });
    try {
      const sessionId = recorder.state.external?.sessionId;
      const session = await agent.connect({
        process,
        workspacePath: options.workspacePath,
        host: current,
        signal,
        ...(sessionId !== undefined && { sessionId }),
      });
      if (session.id !== sessionId) {
        await recorder.commit({
          journal: [{ type: "external-opened", agent: agent.name, sessionId: session.id }],
        });
      }
      watch(process, session);
      const hadSession = earlier?.sessionId !== undefined;
      if (!hadSession || session.isContinued) return { session };
      return { session, warning: describeLoss(earlier.agent) };
    } catch (reason) {
      await process.end();
      throw reason;
    }
  }

  function describeLoss(earlierAgent: string): string {
    return `${agent.name} cannot continue the earlier conversation${
      earlierAgent === agent.name ? "" : ` of ${earlierAgent}`
    }, so it does not know what was said before this prompt`;
  }

  /** Forgets the session when its process ends, so that the next turn opens another session. */
  function watch(process: StartedAgentProcess, session: ExternalSession): void {
    const opened = { process, session };
    open = opened;
    void process.ended.then(async () => {
      if (open === opened) open = undefined;
      // Processes that the agent started may still run.
      await process.end();
    });
  }

  function getSession(): ExternalSession {
    if (open !== undefined) return open.session;
    throw new CommandError(`${agent.name} does not run; it starts with the next prompt`);
  }

  return {
    async open(recorder, signal) {
      const opened = open === undefined ? await start(recorder, signal) : { session: open.session };
      lastOffer = opened.session.offer();
      return opened;
    },
    setHost(next) {
      host = next;
    },
    offer: () => open?.session.offer() ?? lastOffer,
    selectMode: async (modeId) => await getSession().selectMode(modeId),
    selectModel: async (modelId) => await getSession().selectModel(modelId),
    takeLate() {
      const count = late;
      late = 0;
      return count;
    },
    async close() {
      const closing = open;
      open = undefined;
      await closing?.process.end();
    },
  };
}

function programOf({ agent, workspacePath, environment, elapsedMs }: AgentConnectionOptions) {
  const { command, args, keepVariables } = agent.program;
  return {
    command,
    args,
    directory: workspacePath,
    environment: cleanEnvironment(environment, keepVariables),
    secrets: keepVariables.flatMap((name) => environment[name] ?? []),
    elapsedMs,
  };
}
