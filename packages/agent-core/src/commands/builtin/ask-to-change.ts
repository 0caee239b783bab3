import { type CommandCall, CommandError, type CommandOutcome } from "../command.js";

/**
 * Asks before a client's command changes the agent's own files. A command that is typed at the host's
 * terminal needs no question, because typing it is the consent. (SEC-08)
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
