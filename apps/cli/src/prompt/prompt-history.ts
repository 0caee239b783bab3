import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** What was prompted before, oldest first, kept over sessions. */
export interface PromptHistory {
  readonly prompts: readonly string[];
  add(prompt: string): void;
  /** Adds what was never sent: it can be recalled until dt ends, and is not written down. */
  addDraft(text: string): void;
  /** Resolves when all of it is on disk. */
  flush(): Promise<void>;
}

const mostPrompts = 1000;
const longestPrompt = 100_000;

/** Reads the history; one that cannot be read or written is an empty one. */
export async function openPromptHistory(file: string): Promise<PromptHistory> {
  const lines = await readFile(file, "utf8").then(
    (text) => text.split("\n").filter((line) => line !== ""),
    () => [],
  );
  const prompts = lines.flatMap(readPrompt).slice(-mostPrompts);
  const drafts = new Set<string>();
  let writing = Promise.resolve();
  if (lines.length > 2 * mostPrompts) {
    writing = writeFile(file, prompts.map(toLine).join(""), { mode: 0o600 }).catch(() => {});
  }
  function remember(text: string): boolean {
    if (text === prompts.at(-1) || text.length > longestPrompt) return false;
    prompts.push(text);
    if (prompts.length > mostPrompts) prompts.shift();
    return true;
  }

  return {
    prompts,
    addDraft(text) {
      if (remember(text)) drafts.add(text);
    },
    add(prompt) {
      const isDraft = drafts.delete(prompt);
      if (!remember(prompt) && !isDraft) return;
      writing = writing
        .then(() => mkdir(path.dirname(file), { recursive: true, mode: 0o700 }))
        .then(() => appendFile(file, toLine(prompt), { mode: 0o600 }))
        .catch(() => {});
    },
    flush: () => writing,
  };
}

function toLine(prompt: string): string {
  return `${JSON.stringify(prompt)}\n`;
}

// Two terminals may write at once: a line that was torn is left out.
function readPrompt(line: string): readonly string[] {
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === "string" ? [prompt] : [];
  } catch {
    return [];
  }
}
