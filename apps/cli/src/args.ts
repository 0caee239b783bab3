import { parseArgs } from "node:util";

/** What the command line asks for. */
export type CliArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | ({ readonly type: "run" } & RunArgs);

/** How to run. */
export interface RunArgs {
  /** The one prompt to run; undefined: those that come in. */
  readonly prompt: string | undefined;
  /** The model's name; undefined: what the environment says. */
  readonly model: string | undefined;
  readonly isYolo: boolean;
}

/** A command line that cannot be understood: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What `dt --help` prints. */
export const usage = `dt: a coding agent in your terminal

  dt -p PROMPT      run one prompt in the current directory and leave
  dt                read prompts line by line
  command | dt      run what is piped in as one prompt

  -p, --prompt TEXT run this prompt
      --model NAME  gemini-2.5-pro, openai:NAME, offline; else DT_MODEL, else what a key is set for
      --yolo        run tools without asking
  -h, --help        show this
      --version     show the version

Exit codes: 0 the prompt was done, 1 it failed or needed an answer that nobody gave, 2 the
command line or the set-up is wrong.`;

/** Reads the command line. */
export function parseCliArgs(argv: readonly string[]): CliArgs {
  const { values } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  const { prompt, model, yolo } = values;
  return { type: "run", prompt, model, isYolo: yolo === true };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      options: {
        prompt: { type: "string", short: "p" },
        model: { type: "string" },
        yolo: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${message.split(". ")[0]}; see dt --help`, { cause });
  }
}
