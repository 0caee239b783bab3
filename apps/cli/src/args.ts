import { parseArgs } from "node:util";

/** What the command line asks for. */
export type CliArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "run"; readonly prompt: string | undefined; readonly isYolo: boolean };

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
      --yolo        run tools without asking
  -h, --help        show this
      --version     show the version

Exit codes: 0 the prompt was done, 1 it failed or was refused, 2 the command line is wrong.`;

/** Reads the command line. */
export function parseCliArgs(argv: readonly string[]): CliArgs {
  const { values } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  return { type: "run", prompt: values.prompt, isYolo: values.yolo === true };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      options: {
        prompt: { type: "string", short: "p" },
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
