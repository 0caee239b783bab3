import {
  type Command,
  type CommandEffect,
  CommandError,
  type CommandOutcome,
} from "../commands/command.js";
import { compactHistory } from "./compact-history.js";
import { runRound } from "./run-round.js";
import { runTurn } from "./run-turn.js";
import type { TurnScope } from "./turn-scope.js";

/**
 * Runs a command as a turn of its session: its tools ask as a model's would, what it says is an event,
 * and what it wants of the model follows in the same turn.
 *
 * After a restart the command runs again: rounds of calls that have ended are not repeated, and the
 * round with the open question goes on waiting.
 */
export async function runCommandTurn(
  command: Command,
  args: string,
  scope: TurnScope,
): Promise<void> {
  const { recorder, signal } = scope;
  // After a restart in the model's part of it, the command itself has done its work.
  if (recorder.state.turn?.isModelAsked === true) return await runTurn(scope);
  let outcome = await begin(command, args, scope);
  for (let round = 0; outcome.type === "ask"; round += 1) {
    const finished = recorder.state.turn?.rounds[round] ?? (await runRound(outcome.calls, scope));
    if (signal.aborted || finished === undefined) return;
    outcome = await outcome.next(finished);
  }
  if (outcome.effect !== undefined) await takeEffect(outcome.effect, scope);
  if (outcome.say) await recorder.commit({ events: [{ kind: "TEXT_CONTENT", text: outcome.say }] });
  if (outcome.prompt === undefined || signal.aborted) return;
  await recorder.commit({ journal: [{ type: "command-prompted", parts: outcome.prompt }] });
  await runTurn(scope);
}

async function begin(command: Command, args: string, scope: TurnScope): Promise<CommandOutcome> {
  if (command.run === undefined) return { type: "done", say: describeGroup(command) };
  const { state } = scope.recorder;
  const mode = state.modes[principalOf(scope)];
  return await command.run({ args, state, mode, signal: scope.signal });
}

async function takeEffect(effect: CommandEffect, scope: TurnScope): Promise<void> {
  const { recorder } = scope;
  switch (effect.type) {
    case "compact":
      if (!(await compactHistory(scope, { least: 1 }))) {
        throw new CommandError("there is nothing to compact yet");
      }
      return;
    case "clear":
      await recorder.commit({ journal: [{ type: "cleared" }] });
      return;
    case "set-mode":
      await recorder.commit({
        journal: [{ type: "mode-set", principal: principalOf(scope), mode: effect.mode }],
      });
      return;
    case "set-model":
      scope.setModel(effect.name);
      await recorder.commit({ journal: [{ type: "model-set", name: effect.name }] });
      return;
    case "retry":
      if (recorder.state.failed === undefined) throw new CommandError("no turn has failed");
      await recorder.commit({ journal: [{ type: "retry-taken" }] });
      await runTurn(scope);
  }
}

function principalOf({ recorder }: TurnScope): string {
  return recorder.state.turn?.prompt.origin.principal ?? "";
}

function describeGroup({ name, description, subCommands = [] }: Command): string {
  const lines = subCommands.map((sub) => `  /${name} ${sub.name}: ${sub.description}`);
  return [`/${name}: ${description}`, ...lines].join("\n");
}
