import { quoteWord } from "../../shell/quote-word.js";
import { type Command, CommandError, type CommandOutcome } from "../command.js";
import type { CommandServices } from "../command-services.js";

/**
 * Trusts the workspace. Only the host's own terminal may: a trusted workspace brings settings, commands
 * and programs that run on the host's machine.
 */
export function createTrustCommand({
  workspaceRoot,
  trust,
}: Pick<CommandServices, "workspaceRoot" | "trust">): Command {
  const refusal = `only the person at the host's own terminal decides this: there, type /trust, or run dt --trust or dt-server trust ${quoteWord(workspaceRoot)}`;

  async function change(work: "trust" | "distrust", told: string): Promise<CommandOutcome> {
    if (trust === undefined) throw new CommandError("this session keeps no trust");
    const isTrusted = await trust.isTrusted(workspaceRoot);
    if (isTrusted === (work === "trust")) {
      return { type: "done", say: `${workspaceRoot} is ${isTrusted ? "" : "not "}trusted already` };
    }
    await trust[work](workspaceRoot);
    return { type: "done", say: told };
  }

  return {
    name: "trust",
    description:
      "trusts this workspace's own settings, commands and extensions; host's terminal only",
    arguments: [{ name: "revoke", description: "takes the trust back", isRequired: false }],
    check(args, { isHost }) {
      if (!isHost) return refusal;
      const isKnown = ["", "revoke"].includes(args.trim());
      return isKnown ? undefined : `${args.trim()} is no change; there is revoke`;
    },
    run: async ({ args }) =>
      args.trim() === "revoke"
        ? await change(
            "distrust",
            `${workspaceRoot} is no longer trusted; restart dt to stop using what it brought`,
          )
        : await change(
            "trust",
            `${workspaceRoot} is trusted; restart dt to use its settings, commands and extensions`,
          ),
  };
}
