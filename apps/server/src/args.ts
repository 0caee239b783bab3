import { parseArgs } from "node:util";
import { findNearest } from "@dt/schema";
import { SetupError } from "@dt/server";
import { SERVER_OPTIONS } from "./options.js";

/** A parsed command line. */
export type ServerArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "list-trusted" }
  | { readonly type: "trust"; readonly directory: string }
  | { readonly type: "revoke-trust"; readonly directory: string }
  | { readonly type: "run"; readonly isDebug: boolean };

/** Options that other servers have, with the variable that dt-server has instead. */
const VARIABLES_BY_OPTION: ReadonlyMap<string, string> = new Map([
  ["--port", "CODER_AGENT_PORT"],
  ["--host", "DT_HOST"],
  ["--model", "DT_MODEL"],
  ["--data-dir", "DT_DATA_DIR"],
]);

/** Parses the command line; throws a {@link SetupError} of one line. */
export function parseServerArgs(argv: readonly string[]): ServerArgs {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  const [command, ...rest] = positionals;
  if (command === "trust") return parseTrust(rest);
  if (command !== undefined) throw fault(`${command} is not a command`);
  return { type: "run", isDebug: values.debug === true };
}

// Parses the arguments of `trust`. A directory called `list` or `revoke` must be given with its path, such as
// ./list.
function parseTrust(words: readonly string[]): ServerArgs {
  const [verb, directory, extra] = words[0] === "revoke" ? words : ["trust", ...words];
  if (directory === undefined) {
    throw fault(`dt-server ${["trust", ...words].join(" ")} needs a directory`);
  }
  if (extra !== undefined) throw fault(`unexpected argument ${extra}`);
  if (verb === "revoke") return { type: "revoke-trust", directory };
  return directory === "list" ? { type: "list-trusted" } : { type: "trust", directory };
}

function fault(sentence: string, cause?: unknown): SetupError {
  return new SetupError(`${sentence}; try dt-server --help`, { cause });
}

function parse(argv: readonly string[]) {
  try {
    const options = SERVER_OPTIONS;
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (cause) {
    const [sentence] = (cause instanceof Error ? cause.message : String(cause)).split(/\. |\n/);
    const [, typed] = /^Unknown option '(--[^'=]+)/.exec(sentence ?? "") ?? [];
    const known = Object.keys(SERVER_OPTIONS).map((name) => `--${name}`);
    const candidates = [...known, ...VARIABLES_BY_OPTION.keys()];
    const meant = typed === undefined ? undefined : findNearest(typed, candidates);
    const variable = VARIABLES_BY_OPTION.get(typed ?? "") ?? VARIABLES_BY_OPTION.get(meant ?? "");
    if (variable !== undefined) throw fault(`${sentence}; set ${variable} instead`, cause);
    throw fault(`${sentence}${meant === undefined ? "" : `, did you mean ${meant}?`}`, cause);
  }
}
