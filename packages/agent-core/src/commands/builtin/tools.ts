import type { Command } from "../command.js";
import type { CommandServices } from "../command-services.js";

/** Lists the tools. */
export function createToolsCommand({ tools, excludedTools }: CommandServices): Command {
  return {
    name: "tools",
    description: "lists the tools that the model is offered, and those that are kept from it",
    runsConcurrently: () => true,
    async run() {
      const offered = tools()
        .filter(({ isInternal }) => isInternal !== true)
        .map(({ name, description }) => `${name}: ${firstSentence(description)}`);
      const excluded = excludedTools?.() ?? [];
      const lines = [
        ...(offered.length === 0 ? ["the model is offered no tools"] : offered),
        ...(excluded.length === 0 ? [] : [`excluded: ${excluded.join(", ")}`]),
      ];
      return { type: "done", say: lines.join("\n") };
    },
  };
}

/** The beginning of a text, up to the end of its first sentence or line. */
export function firstSentence(text: string): string {
  const [sentence = ""] = /^.*?(?:[.!?](?=\s)|$)/m.exec(text.trim()) ?? [];
  return sentence.replace(/\.$/, "");
}
