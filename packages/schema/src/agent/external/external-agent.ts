import type { Part } from "../../event/part.js";
import type { Usage } from "../../gen/dt_session/event.js";
import type { StopSignal } from "../face/face-port.js";
import type { ExternalHost } from "./external-host.js";

/**
 * An agent of another program that can run the turns of a session, such as Gemini CLI. The session starts a
 * process for the agent and talks to that process. The session owns the log, the questions and the policy.
 */
export interface ExternalAgent {
  /** Name to show, such as "gemini". */
  readonly name: string;
  readonly program: ExternalProgram;
  /**
   * Opens a session of the agent in a process that has just started. Rejects if the agent refuses, ends or
   * does not answer in time, or if the signal aborts.
   */
  connect(options: ConnectAgentOptions): Promise<ExternalSession>;
}

/** The program of an external agent. */
export interface ExternalProgram {
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Names of environment variables that the process gets in addition to harmless ones, for example the
   * variable with its model key.
   */
  readonly keepVariables: readonly string[];
}

/** Options of {@link ExternalAgent.connect}. */
export interface ConnectAgentOptions {
  readonly process: AgentProcess;
  /** Absolute path of the workspace. */
  readonly workspacePath: string;
  /** Session of the agent to continue. If it is undefined, the agent begins a new session. */
  readonly sessionId?: string;
  /** Receives the agent's updates, questions and requests. */
  readonly host: ExternalHost;
  readonly signal: StopSignal;
}

/** A running process that dt talks to over the process's standard input and output. */
export interface AgentProcess {
  /** Standard output in chunks. The process waits while nobody reads. */
  readonly output: AsyncIterable<Uint8Array>;
  /**
   * Writes to standard input. Resolves when the process accepts more bytes; rejects if the process has
   * ended.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<AgentProcessEnd>;
}

/** The end of a process. */
export interface AgentProcessEnd {
  /** The way in which the process ended, such as `exit code 1`. */
  readonly how: string;
  /** The last lines that it wrote to stderr; may be empty. */
  readonly lastErrors: string;
}

/** A session of an external agent. It ends with the agent's process. */
export interface ExternalSession {
  /** Id that the agent gave the session. */
  readonly id: string;
  /** True if the agent continues an earlier session and therefore knows the earlier conversation. */
  readonly isContinued: boolean;
  /** Returns the models, modes and commands that the agent offers now. */
  offer(): ExternalOffer;
  /**
   * Runs a turn. Resolves when the agent has ended the turn. If the signal aborts, tells the agent to
   * cancel, and still waits until the agent has ended the turn. Rejects if the agent refuses the prompt or
   * its process ends.
   */
  prompt(parts: readonly Part[], signal: StopSignal): Promise<ExternalTurnEnd>;
  /** Chooses one of the offered modes. Rejects if the agent refuses it. */
  selectMode(modeId: string): Promise<void>;
  /** Chooses one of the offered models. Rejects if the agent refuses it. */
  selectModel(modelId: string): Promise<void>;
}

/** Models, modes and commands that an external agent offers. */
export interface ExternalOffer {
  readonly models: readonly ExternalChoice[];
  readonly modelId?: string;
  readonly modes: readonly ExternalChoice[];
  readonly modeId?: string;
  readonly commands: readonly ExternalCommand[];
}

/** A model or mode that an external agent offers. */
export interface ExternalChoice {
  readonly id: string;
  readonly name: string;
}

/** A slash command of an external agent. */
export interface ExternalCommand {
  readonly name: string;
  readonly description: string;
  /** Describes the text after the command's name; absent if the command takes none. */
  readonly hint?: string;
}

/** The end of a turn of an external agent. */
export interface ExternalTurnEnd {
  readonly reason: "ended" | "cancelled" | "max-tokens" | "max-requests" | "refused";
  /** Tokens of the turn, if the agent reports them. */
  readonly usage?: Usage;
}
