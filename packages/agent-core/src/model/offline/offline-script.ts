import { parseToolInput } from "../parse-tool-input.js";

/** One instruction that the offline model understands. */
export type OfflineStep =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "think"; readonly subject: string; readonly description: string }
  | {
      readonly type: "call";
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "chunks"; readonly count: number }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "fail"; readonly text: string };

type StepReader = (rest: string) => OfflineStep | undefined;

const MAX_CHUNKS = 1_000_000;
const MAX_WAIT_MS = 3_600_000;

/** The grammar. Each verb has a usage text and a function that reads the text after the verb. */
const GRAMMAR: Readonly<Record<string, readonly [usage: string, read: StepReader]>> = {
  say: ["say TEXT", (rest) => requireText(rest, { type: "say", text: rest })],
  think: [
    "think SUBJECT: TEXT",
    (rest) => {
      const [subject, description] = splitAtColon(rest);
      return subject === undefined ? undefined : { type: "think", subject, description };
    },
  ],
  list: ["list [DIR]", (rest) => call("list_directory", { path: fileName(rest) || "." })],
  read: [
    "read FILE",
    (rest) => requireText(rest, call("read_file", { file_path: fileName(rest) })),
  ],
  search: [
    "search TEXT",
    (rest) => requireText(rest, call("search_file_content", { pattern: rest })),
  ],
  glob: ["glob PATTERN", (rest) => requireText(rest, call("glob", { pattern: rest }))],
  write: [
    "write FILE: TEXT",
    (rest) => {
      const [file, content] = splitAtColon(rest);
      return file === undefined
        ? undefined
        : call("write_file", { file_path: fileName(file), content });
    },
  ],
  edit: ["edit FILE: OLD -> NEW", readEdit],
  run: ["run COMMAND", (rest) => requireText(rest, call("run_shell_command", { command: rest }))],
  remember: ["remember TEXT", (rest) => requireText(rest, call("save_memory", { fact: rest }))],
  call: ["call TOOL JSON", readCall],
  chunks: [
    "chunks N",
    (rest) => {
      const count = readNumber(rest, MAX_CHUNKS);
      return count === undefined ? undefined : { type: "chunks", count };
    },
  ],
  wait: [
    "wait MS",
    (rest) => {
      const ms = readNumber(rest, MAX_WAIT_MS);
      return ms === undefined ? undefined : { type: "wait", ms };
    },
  ],
  fail: ["fail TEXT", (rest) => requireText(rest, { type: "fail", text: rest })],
};

/** Usage of each instruction, for help texts. */
export const OFFLINE_GRAMMAR: readonly string[] = Object.values(GRAMMAR).map(([usage]) => usage);

/**
 * Parses the instructions in a prompt. Returns undefined if any of them does not follow the grammar, so that
 * the offline model never follows only a part of a prompt.
 */
export function parseOfflineScript(prompt: string): readonly OfflineStep[] | undefined {
  const steps = prompt
    .split(/ then |\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(parseStep);
  if (steps.length === 0) return undefined;
  return steps.every((step) => step !== undefined) ? steps : undefined;
}

function parseStep(line: string): OfflineStep | undefined {
  const [, verb = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const entry = Object.hasOwn(GRAMMAR, verb) ? GRAMMAR[verb] : undefined;
  return entry?.[1](rest);
}

function requireText(rest: string, step: OfflineStep): OfflineStep | undefined {
  return rest === "" ? undefined : step;
}

function call(toolName: string, input: Readonly<Record<string, unknown>>): OfflineStep {
  return { type: "call", toolName, input };
}

function splitAtColon(rest: string): [before: string | undefined, after: string] {
  const [, before, after = ""] = /^(\S[^:]*):\s?(.*)$/s.exec(rest) ?? [];
  return [before?.trim(), after];
}

/** Decodes a file name: `@my\ file` becomes `my file`. A name without `@` stays as it is. */
function fileName(written: string): string {
  return written.startsWith("@") ? written.slice(1).replace(/\\(.)/g, "$1") : written;
}

function readEdit(rest: string): OfflineStep | undefined {
  const [file, change] = splitAtColon(rest);
  const [, oldText, newText = ""] = /^(.+?) ->(?: (.*))?$/s.exec(change) ?? [];
  if (file === undefined || oldText === undefined) return undefined;
  return call("replace", { file_path: fileName(file), old_string: oldText, new_string: newText });
}

function readCall(rest: string): OfflineStep | undefined {
  const [, toolName, json] = /^(\S+)\s+(.+)$/s.exec(rest) ?? [];
  if (toolName === undefined || json === undefined) return undefined;
  const { input, inputError } = parseToolInput(json);
  return inputError === undefined ? call(toolName, input) : undefined;
}

function readNumber(rest: string, most: number): number | undefined {
  const number = /^\d+$/.test(rest) ? Number(rest) : Number.NaN;
  return number <= most ? number : undefined;
}
