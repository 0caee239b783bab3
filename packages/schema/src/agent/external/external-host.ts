import type { StopSignal } from "../face/face-port.js";
import type { ExternalCall, ExternalUpdate } from "./external-update.js";

/**
 * The session that runs an external agent, as the agent sees it. The session logs each update before anyone
 * sees it, and judges each request with its own policy.
 */
export interface ExternalHost {
  /** Handles an update. The agent's next message is read only after the promise has resolved. */
  update(update: ExternalUpdate): Promise<void>;
  /**
   * Judges a call by the policy of the session, and asks a person if necessary. The call may run once if
   * the verdict is `allowed`, and not at all otherwise.
   */
  judge(call: ExternalCall, signal: StopSignal): Promise<ExternalVerdict>;
  /** Reads a text file. */
  readTextFile(file: ReadRequest, signal: StopSignal): Promise<ExternalHostReply<string>>;
  /** Writes a whole text file. */
  writeTextFile(file: WriteRequest, signal: StopSignal): Promise<ExternalHostReply<undefined>>;
  /** Starts a command. */
  startTerminal(
    command: TerminalRequest,
    signal: StopSignal,
  ): Promise<ExternalHostReply<ExternalTerminal>>;
}

/** Verdict about a call: `withdrawn` if its turn has ended or was cancelled before somebody answered. */
export type ExternalVerdict = "allowed" | "refused" | "withdrawn";

/** Reply to a request of an external agent. */
export type ExternalHostReply<TValue> =
  | { readonly isDone: true; readonly value: TValue }
  | {
      readonly isDone: false;
      readonly fault: "not-found" | "refused" | "failed";
      /** Reason why the request was not carried out, as one sentence for the agent. */
      readonly message: string;
    };

/** A text file to read. */
export interface ReadRequest {
  readonly path: string;
  /** First line, counted from 1. Default: 1. */
  readonly line?: number;
  /** Maximum number of lines. Default: all. */
  readonly limit?: number;
}

/** A text file to write. */
export interface WriteRequest {
  readonly path: string;
  readonly content: string;
}

/** A command to run. */
export interface TerminalRequest {
  readonly command: string;
  /** Arguments; if there are none, `command` is a line for the shell. */
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Working directory. Default: the workspace. */
  readonly directory?: string;
  /** Maximum size of the output that is kept; earlier output is dropped. */
  readonly outputBytes?: number;
}

/** A command that an external agent has started. It ends with the turn at the latest. */
export interface ExternalTerminal {
  /** Returns the output so far. */
  output(): TerminalOutput;
  /** Resolves when the command has ended. */
  readonly ended: Promise<TerminalEnd>;
  /** Ends the command and its descendants. */
  kill(): Promise<void>;
}

/** Output of a command. */
export interface TerminalOutput {
  readonly text: string;
  readonly isCut: boolean;
  /** Absent while the command runs. */
  readonly end?: TerminalEnd;
}

/** The end of a command. */
export interface TerminalEnd {
  readonly exitCode?: number;
  readonly endedBy?: string;
}
