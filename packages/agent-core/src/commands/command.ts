import type { Part, PermissionMode, SlashCommandArgument, ToolCall } from "@dt/schema";
import type { SessionState } from "../record/session-state.js";

/** A slash command, or a group of them. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly SlashCommandArgument[];
  readonly subCommands?: readonly Command[];
  /** Why the caller cannot run it with these arguments, in a sentence; it then does not start. */
  check?(args: string, caller: CommandCaller): string | undefined;
  /**
   * Whether its first step is a tool call, which may ask. `command/execute` then answers when that is
   * decided; for any other command it answers as soon as the turn has started.
   */
  asksFirst?(args: string, caller: CommandCaller): boolean;
  /**
   * Whether it runs beside a turn of its session instead of waiting behind it. Only for a use of the
   * command that reads, or sets the caller's own mode: it may not ask, use the model or change anything
   * else. A group always does, because it only lists what is in it.
   */
  runsConcurrently?(args: string): boolean;
  /**
   * What the command comes to. Runs again after a restart, up to the question that was open, so it
   * must come to the same questions from the same arguments. A group has none: it lists what is in it.
   */
  run?(invocation: CommandInvocation): Promise<CommandOutcome>;
}

/** Who runs a command. */
export interface CommandCaller {
  readonly user: string;
  /** The credential that the command came with; undefined if it has ended or there was none. */
  readonly credential?: string;
  /** Whether it was typed at the host's own terminal. */
  readonly isHost: boolean;
}

/** One use of a command. */
export interface CommandInvocation {
  /** What stands behind the command's name. */
  readonly args: string;
  /** The session as it stands. */
  readonly state: SessionState;
  readonly caller: CommandCaller;
  /** The mode that the caller's prompts run in. */
  readonly mode: PermissionMode;
  readonly signal: AbortSignal;
}

/** What a command comes to: it is done, or it needs tools first, which ask as they always do. */
export type CommandOutcome =
  | {
      readonly type: "done";
      /** What is shown. */
      readonly say?: string;
      readonly effect?: CommandEffect;
      /** What the model is asked next, in the same turn. */
      readonly prompt?: readonly Part[];
    }
  | {
      readonly type: "ask";
      readonly calls: readonly CommandCall[];
      /** Goes on with what became of the calls, in their order. */
      readonly next: (calls: readonly ToolCall[]) => Promise<CommandOutcome>;
    };

/** A tool that a command wants to use. */
export interface CommandCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a command may do to its own session. */
export type CommandEffect =
  | { readonly type: "compact" }
  | { readonly type: "clear" }
  | { readonly type: "retry" }
  | { readonly type: "set-mode"; readonly mode: PermissionMode }
  /** Takes back remembered answers, by their numbers. */
  | { readonly type: "forget-answers"; readonly numbers: readonly number[] }
  | { readonly type: "set-model"; readonly name: string };

/** A command that fails; the sentence is for the person. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
