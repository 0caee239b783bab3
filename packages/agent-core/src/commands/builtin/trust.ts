import { quoteWord } from "../../shell/quote-word.js";
import { type Command, CommandError, type CommandOutcome } from "../command.js";
import type { CommandServices } from "../command-services.js";

/**
 * Creates `/trust`. Only the host's own terminal may use it, because a trusted workspace brings settings,
 * commands and programs that run on the host's machine.
 */
export function createTrustCommand({
  workspaceRoot,
  trust,
}: Pick<CommandServices, "workspaceRoot" | "trust">): Command {
  const refusal = `only the person at the host's own terminal can trust a workspace: type /trust there, or run dt --trust or dt-server trust ${quoteWord(workspaceRoot)}`;

  async function change(work: "trust" | "distrust", message: string): Promise<CommandOutcome> {
    if (trust === undefined)
      throw new CommandError("this session has no list of trusted workspaces");
    const isTrusted = await trust.isTrusted(workspaceRoot);
    if (isTrusted === (work === "trust")) {
      return {
        type: "done",
        say: `${workspaceRoot} is already ${isTrusted ? "trusted" : "not trusted"}`,
      };
    }
    await trust[work](workspaceRoot);
    return { type: "done", say: message };
  }

  return {
    name: "trust",
    description:
      "trusts this workspace's own settings, commands, MCP servers and extensions; host's terminal only",
    arguments: [{ name: "revoke", description: "ends trust in the workspace", isRequired: false }],
    check(args, { isHost }) {
      if (!isHost) return refusal;
      const isKnown = ["", "revoke"].includes(args.trim());
      return isKnown ? undefined : `/trust has no argument ${args.trim()}; it has revoke`;
    },
    run: async ({ args }) =>
      args.trim() === "revoke"
        ? await change(
            "distrust",
            `${workspaceRoot} is no longer trusted; restart dt to stop using its settings, commands, MCP servers and extensions`,
          )
        : await change(
            "trust",
            `${workspaceRoot} is trusted; restart dt to use its settings, commands, MCP servers and extensions, which can run programs on this machine; /trust revoke undoes it`,
          ),
  };
}
