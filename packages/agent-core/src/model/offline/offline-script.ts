/** One step that the offline model understands. */
export type OfflineStep =
  | { readonly type: "say"; readonly text: string }
  | {
      readonly type: "call";
      readonly toolName: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/** The grammar, one line a step, for help texts. */
export const offlineGrammar = ["say TEXT", "write FILE: TEXT"] as const;

type StepReader = (rest: string) => OfflineStep | undefined;

const readers: Readonly<Record<string, StepReader>> = {
  say: (rest) => ({ type: "say", text: rest }),
  write: (rest) => {
    const match = /^(\S[^:]*):\s?([\s\S]*)$/.exec(rest);
    if (match === null) return undefined;
    const [, file = "", content = ""] = match;
    return { type: "call", toolName: "write_file", input: { file_path: file.trim(), content } };
  },
};

/**
 * A prompt → its steps, or undefined where any of them is not understood: the offline model does
 * what it was told or says that it cannot, never half of it.
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
  const [, verb = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
  const reader = Object.hasOwn(readers, verb) ? readers[verb] : undefined;
  return rest === "" ? undefined : reader?.(rest);
}
