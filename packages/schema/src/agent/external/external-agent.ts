import type { Part } from "../../event/part.js";
import type { Usage } from "../../gen/dt_session/event.js";
import type { StopSignal } from "../face/face-port.js";
import type { ExternalHost } from "./external-host.js";

/**
 * An agent of another program that can run the turns of a session, such as Gemini CLI. It speaks over the
 * process that the session starts for it; the session owns the log, the questions and the policy.
 */
export interface ExternalAgent {
  /** Name to show, such as "gemini". */
  readonly name: string;
  readonly program: ExternalProgram;
  /**
   * Opens a session of the agent over a process that has just started. Rejects if the agent refuses, ends or
   * does not answer in time, and if the signal aborts.
   */
  connect(options: ConnectAgentOptions): Promise<ExternalSession>;
}

/** The program of an external agent. */
export interface ExternalProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Names of the variables that the process gets besides harmless ones, for example its key. */
  readonly keepVariables: readonly string[];
}

/** Options of {@link ExternalAgent.connect}. */
export interface ConnectAgentOptions {
  readonly process: AgentProcess;
  /** Absolute path of the workspace. */
  readonly workspacePath: string;
  /** Session of the agent to continue; undefined begins a new one. */
  readonly sessionId?: string;
  /** Receives the agent's updates, questions and requests. */
  readonly host: ExternalHost;
  readonly signal: StopSignal;
}

/** A running process that is spoken to over its input and output. */
export interface AgentProcess {
  /** Output, piece by piece. The process waits while nobody reads. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Writes to the input. Resolves when the process can take more; rejects if it has ended. */
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

/** A session of an external agent. Its process ends it. */
export interface ExternalSession {
  /** Id that the agent gave the session. */
  readonly id: string;
  /** True if the agent continues an earlier session, so that it knows what was said. */
  readonly isContinued: boolean;
  /** Returns what the agent offers at the moment. */
  offer(): ExternalOffer;
  /**
   * Runs a turn. Resolves when the agent has ended it. If the signal aborts, the agent is told to cancel and
   * the promise still waits for the agent. Rejects if the agent refuses the prompt or its process ends.
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
