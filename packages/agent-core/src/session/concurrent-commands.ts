import { type Caller, ProtocolError, type Ticket } from "@dt/schema";
import {
  type Command,
  type CommandCaller,
  CommandError,
  type CommandOutcome,
} from "../commands/command.js";
import { NO_CREDENTIAL_REASON } from "../commands/no-credential.js";
import { type CommandEnd, recordCommand } from "../record/command-records.js";
import type { Recorder } from "../record/recorder.js";
import type { Prompt } from "../record/session-state.js";
import type { CredentialModes } from "../turn/credential-modes.js";
import { invokeCommand } from "../turn/run-command-turn.js";
import { toAcceptedPrompt } from "./accept-prompt.js";
import type { SessionLifetime } from "./session-lifetime.js";

/** Runs commands beside the turns of a session. */
export interface ConcurrentCommands {
  /** Runs a command to its end in a task of its own, so that its events appear in no other task. */
  run(
    command: Command,
    prompt: Prompt & Required<Pick<Prompt, "command">>,
    caller: Caller,
  ): Promise<Ticket>;
}

/** Options of {@link createConcurrentCommands}. */
export interface ConcurrentCommandsOptions {
  readonly recorder: Recorder;
  readonly modes: CredentialModes;
  /** Maximum number of commands that run at the same time. */
  readonly maxRunning: number;
  /** Converts a caller to the form that commands receive. A credential that has ended is left out. */
  toCommandCaller(caller: Caller): CommandCaller;
  readonly lifetime: SessionLifetime;
}

/**
 * Returns true if the command with these arguments can run beside a turn. A command without `run` only lists
 * its sub-commands, so it can always run beside a turn.
 */
export function canRunConcurrently(command: Command, args: string): boolean {
  return command.run === undefined || command.runsConcurrently?.(args) === true;
}

type CommandEffects = Pick<Extract<CommandEnd, { state: "completed" }>, "said" | "mode">;

/** Creates the runner; nothing runs yet. */
export function createConcurrentCommands(options: ConcurrentCommandsOptions): ConcurrentCommands {
  const { recorder, modes, maxRunning, lifetime } = options;
  let running = 0;

  /** Runs the command. A CommandError becomes a failed end; other errors are thrown. */
  async function runToEnd(command: Command, args: string, caller: Caller): Promise<CommandEnd> {
    const commandCaller = options.toCommandCaller(caller);
    const mode = modes.find(commandCaller.credential);
    const { state } = recorder;
    const { signal } = lifetime;
    try {
      const outcome = await invokeCommand(command, {
        args,
        state,
        caller: commandCaller,
        mode,
        signal,
      });
      lifetime.checkOpen();
      return { state: "completed", ...applyOutcome(outcome, caller) };
    } catch (reason) {
      if (!(reason instanceof CommandError)) throw reason;
      return { state: "failed", error: reason.message };
    }
  }

  function applyOutcome(outcome: CommandOutcome, caller: Caller): CommandEffects {
    if (outcome.type === "ask" || outcome.prompt !== undefined) throw new Error(NOT_CONCURRENT);
    const { effect, say } = outcome;
    if (effect === undefined) return { said: say };
    if (effect.type !== "set-mode") throw new Error(NOT_CONCURRENT);
    const { credential } = options.toCommandCaller(caller);
    // The credential may have ended while the command ran.
    if (credential === undefined) throw new CommandError(NO_CREDENTIAL_REASON);
    modes.set(credential, { name: caller.name, mode: effect.mode });
    return { said: say, mode: effect.mode };
  }

  return {
    async run(command, prompt, caller) {
      if (running >= maxRunning) {
        throw new ProtocolError(
          "agent-busy",
          `${maxRunning} commands are running already; wait for one to end`,
        );
      }
      running += 1;
      try {
        const end = await runToEnd(command, prompt.command.args, caller);
        const accepted = toAcceptedPrompt(prompt, caller, recorder.state.turns + 1);
        const { taskId, turn } = accepted;
        const afterPosition = await recordCommand(recorder, accepted, end);
        return { taskId, turn, afterPosition };
      } finally {
        running -= 1;
      }
    },
  };
}

const NOT_CONCURRENT = "a concurrent command may only return text or set the caller's mode";
