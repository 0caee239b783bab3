import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** Earlier prompts, oldest first. All sessions share one file of prompts. */
export interface PromptHistory {
  readonly prompts: readonly string[];
  add(prompt: string): void;
  /** Adds a text that was not sent. The text can be recalled until dt ends and is not written to the file. */
  addDraft(text: string): void;
  /** Resolves when all prompts are written. */
  flush(): Promise<void>;
}

const MAX_PROMPTS = 1000;
const MAX_PROMPT_LENGTH = 100_000;

/** Opens the history of a file. It is empty if the file cannot be read. Failed writes are ignored. */
export async function openPromptHistory(file: string): Promise<PromptHistory> {
  const lines = await readFile(file, "utf8").then(
    (text) => text.split("\n").filter((line) => line !== ""),
    () => [],
  );
  const prompts = lines.flatMap(readPrompt).slice(-MAX_PROMPTS);
  const drafts = new Set<string>();
  let writing = Promise.resolve();
  if (lines.length > 2 * MAX_PROMPTS) {
    writing = writeFile(file, prompts.map(toLine).join(""), { mode: 0o600 }).catch(() => {});
  }
  function addPrompt(text: string): boolean {
    if (text === prompts.at(-1) || text.length > MAX_PROMPT_LENGTH) return false;
    prompts.push(text);
    if (prompts.length > MAX_PROMPTS) prompts.shift();
    return true;
  }

  return {
    prompts,
    addDraft(text) {
      if (addPrompt(text)) drafts.add(text);
    },
    add(prompt) {
      const isDraft = drafts.delete(prompt);
      if (!addPrompt(prompt) && !isDraft) return;
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

// Reads one line of the history. Two terminals that write at once may break a line, so a broken line is
// skipped.
function readPrompt(line: string): readonly string[] {
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === "string" ? [prompt] : [];
  } catch {
    return [];
  }
}
