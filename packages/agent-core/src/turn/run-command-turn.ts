import type { PermissionMode } from "@dt/schema";
import {
  type Command,
  type CommandEffect,
  CommandError,
  type CommandInvocation,
  type CommandOutcome,
} from "../commands/command.js";
import { NO_CREDENTIAL_REASON } from "../commands/no-credential.js";
import { getRunningPrompt } from "../record/session-state.js";
import { runRound } from "./calls/run-round.js";
import type { CommandScope } from "./turn-scope.js";

/**
 * Runs a command as a turn of its session. The command's tool calls ask for permission like the model's.
 * If the command returns a prompt, the model gets that prompt in the same turn.
 *
 * After a restart the command runs again. Rounds that have ended are not repeated, and a round with
 * an open question continues to wait.
 */
export async function runCommandTurn(
  command: Command,
  args: string,
  scope: CommandScope,
): Promise<void> {
  const { recorder, signal } = scope;
  // If the model was asked before a restart, the command itself has already finished.
  if (recorder.state.turn?.isModelAsked === true) return await scope.runPrompt();
  let outcome = await begin(command, args, scope);
  for (let round = 0; outcome.type === "ask"; round += 1) {
    const finished = recorder.state.turn?.rounds[round] ?? (await runRound(outcome.calls, scope));
    if (signal.aborted || finished === undefined) return;
    outcome = await outcome.next(finished);
  }
  if (outcome.effect !== undefined) await applyEffect(outcome.effect, scope);
  if (outcome.say) await recorder.commit({ events: [{ kind: "TEXT_CONTENT", text: outcome.say }] });
  if (outcome.prompt === undefined || signal.aborted) return;
  await recorder.commit({ journal: [{ type: "command-prompted", parts: outcome.prompt }] });
  await scope.runPrompt();
}

async function begin(command: Command, args: string, scope: CommandScope): Promise<CommandOutcome> {
  const { state } = scope.recorder;
  const caller = scope.commandCaller();
  const mode = scope.modes.find(caller.credential);
  return await invokeCommand(command, { args, state, caller, mode, signal: scope.signal });
}

/** Runs a command. If the command is only a group, returns a list of the commands in the group. */
export async function invokeCommand(
  command: Command,
  invocation: CommandInvocation,
): Promise<CommandOutcome> {
  if (command.run === undefined) return { type: "done", say: describeGroup(command) };
  return await command.run(invocation);
}

async function applyEffect(effect: CommandEffect, scope: CommandScope): Promise<void> {
  const { recorder } = scope;
  switch (effect.type) {
    case "compact":
      if (!(await scope.compact())) {
        throw new CommandError("there is nothing to compact yet");
      }
      return;
    case "clear":
      await clearConversation(scope);
      return;
    case "set-mode":
      await setMode(effect.mode, scope);
      return;
    case "forget-answers":
      await recorder.commit({ journal: [{ type: "forgotten", numbers: effect.numbers }] });
      return;
    case "set-model":
      scope.checkModel(effect.name);
      await recorder.commit({ journal: [{ type: "model-set", name: effect.name }] });
      return;
    case "retry":
      if (recorder.state.failed === undefined) throw new CommandError("no turn has failed");
      await recorder.commit({ journal: [{ type: "retry-taken" }] });
      await scope.runPrompt();
  }
}

async function clearConversation({ recorder }: CommandScope): Promise<void> {
  const hasTodos = recorder.state.todos.length > 0;
  await recorder.commit({
    journal: [{ type: "cleared" }],
    ...(hasTodos && { events: [{ kind: "TODOS", todos: [] }] }),
  });
}

async function setMode(
  mode: PermissionMode,
  { recorder, modes, commandCaller }: CommandScope,
): Promise<void> {
  const { credential } = commandCaller();
  // The credential may have ended while the command waited in the queue.
  if (credential === undefined) throw new CommandError(NO_CREDENTIAL_REASON);
  const { origin } = getRunningPrompt(recorder.state);
  modes.set(credential, { name: origin.name, mode });
  await recorder.commit({ events: [{ kind: "MODE", mode: { mode, origin } }] });
}

function describeGroup({ name, description, subCommands = [] }: Command): string {
  const lines = subCommands.map((sub) => `  /${name} ${sub.name}: ${sub.description}`);
  return [`/${name}: ${description}`, ...lines].join("\n");
}
