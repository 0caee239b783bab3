import { type CommandCall, CommandError, type CommandOutcome } from "../command.js";

/**
 * Returns the outcome that asks before a client's command changes the agent's own files, such as its memory.
 * Commands do not ask at the host's terminal, because a person who types the command there consents to it.
 * (SEC-08)
 */
export function askToChange(
  call: CommandCall,
  whenDone: () => Promise<CommandOutcome>,
): CommandOutcome {
  return {
    type: "ask",
    calls: [call],
    async next([ended]) {
      if (ended?.status === "SUCCEEDED") return await whenDone();
      if (ended?.result?.$case === "error") throw new CommandError(ended.result.value.message);
      return { type: "done", say: "nothing was changed" };
    },
  };
}
