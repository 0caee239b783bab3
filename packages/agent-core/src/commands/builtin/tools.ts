import type { Command } from "../command.js";
import type { CommandServices } from "../command-services.js";

/** Creates `/tools`, which lists the tools. */
export function createToolsCommand({ tools, excludedTools }: CommandServices): Command {
  return {
    name: "tools",
    description: "lists the tools that the model can use, and the excluded ones",
    runsConcurrently: () => true,
    async run() {
      const offered = tools()
        .filter(({ isInternal }) => isInternal !== true)
        .map(({ name, description }) => `${name}: ${firstSentence(description)}`);
      const excluded = excludedTools?.() ?? [];
      const lines = [
        ...(offered.length === 0 ? ["the model has no tools"] : offered),
        ...(excluded.length === 0 ? [] : [`excluded: ${excluded.join(", ")}`]),
      ];
      return { type: "done", say: lines.join("\n") };
    },
  };
}

/** Returns the first sentence or line of a text, without its period. "e.g." and "i.e." end no sentence. */
export function firstSentence(text: string): string {
  const [sentence = ""] = /^.*?(?:(?<!\b(?:e\.g|i\.e))[.!?](?=\s)|$)/m.exec(text.trim()) ?? [];
  return sentence.replace(/\.$/, "");
}
