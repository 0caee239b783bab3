import type { Part, PermissionMode, Role, SlashCommandArgument, ToolCall } from "@dt/schema";
import type { SessionState } from "../record/session-state.js";

/** A slash command, or a group of them. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly SlashCommandArgument[];
  readonly subCommands?: readonly Command[];
  /** Returns why the caller cannot run the command with these arguments; undefined if the caller can. */
  check?(args: string, caller: CommandCaller): string | undefined;
  /**
   * Returns true if the command begins with a tool call, which may ask. `command/execute` then replies when
   * that call runs, asks or is refused. For all other commands, `command/execute` replies as soon as the
   * turn of the command has started.
   */
  asksFirst?(args: string, caller: CommandCaller): boolean;
  /**
   * Returns true if the command runs beside a running turn and does not wait for the end of the turn. Such
   * a command may read the session and set the caller's own mode. It must not ask, use the model or change
   * anything else. A group never waits, because it only lists its commands.
   */
  runsConcurrently?(args: string): boolean;
  /**
   * Runs the command. After a restart it runs again up to the open question, so the same arguments must lead to
   * the same questions. A group has no `run`; it lists its commands.
   */
  run?(invocation: CommandInvocation): Promise<CommandOutcome>;
}

/** The caller of a command. */
export interface CommandCaller {
  readonly user: string;
  /** Credential of the request that started the command; undefined if it has ended or there was none. */
  readonly credential?: string;
  /** True if the command was typed at the host's own terminal. */
  readonly isHost: boolean;
  /** Role of the caller, for `check`. Undefined for a command that runs as a turn. */
  readonly role?: Role;
}

/** One use of a command. */
export interface CommandInvocation {
  /** Text after the command's name. */
  readonly args: string;
  /** Current state of the session. */
  readonly state: SessionState;
  readonly caller: CommandCaller;
  /** Permission mode of the caller's prompts. */
  readonly mode: PermissionMode;
  readonly signal: AbortSignal;
}

/** The outcome of a command: the command is done, or it first needs tool calls, which may ask. */
export type CommandOutcome =
  | {
      readonly type: "done";
      /** Text to show. */
      readonly say?: string;
      readonly effect?: CommandEffect;
      /** Prompt for the model, in the turn of the command. */
      readonly prompt?: readonly Part[];
    }
  | {
      readonly type: "ask";
      readonly calls: readonly CommandCall[];
      /** Continues the command after its calls have ended. Gets the ended calls in the order of `calls`. */
      readonly next: (calls: readonly ToolCall[]) => Promise<CommandOutcome>;
    };

/** A tool call of a command. */
export interface CommandCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A change that a command makes to its own session. */
export type CommandEffect =
  | { readonly type: "compact" }
  | { readonly type: "clear" }
  | { readonly type: "retry" }
  | { readonly type: "set-mode"; readonly mode: PermissionMode }
  /** Removes remembered answers by their numbers. */
  | { readonly type: "forget-answers"; readonly numbers: readonly number[] }
  | { readonly type: "set-model"; readonly name: string };

/** Thrown if a command fails. The message is shown to the person. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
