import { parseArgs } from "node:util";
import { findNearest } from "@dt/schema";
import { SetupError } from "@dt/server";

/** What the command line asks for. */
export type ServerArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "list-trusted" }
  | { readonly type: "trust"; readonly directory: string }
  | { readonly type: "revoke-trust"; readonly directory: string }
  | { readonly type: "run"; readonly isDebug: boolean };

/** What `dt-server --help` prints. */
export const usage = `dt-server: the coding agent as a service

  dt-server                     listen on 127.0.0.1:41242 until SIGTERM or Ctrl-C
  dt-server trust DIR           use the settings, commands and extensions that a workspace brings
  dt-server trust list          show the trusted workspaces
  dt-server trust revoke DIR    take the trust back

      --debug       log all that happens, as JSON lines on stderr
  -h, --help        show this
      --version     show the version

The environment decides the rest: CODER_AGENT_PORT, DT_HOST, DT_DATA_DIR, DT_WORKSPACE_ROOTS,
DT_MODEL, DT_LOG_LEVEL and more; see apps/server/README.md.

Exit codes: 0 it was stopped, 1 it failed or was asked to stop twice, 2 the command line or the set-up is wrong.`;

const options = {
  debug: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** Options of other servers, and the variables that say the same here. */
const variables: ReadonlyMap<string, string> = new Map([
  ["--port", "CODER_AGENT_PORT"],
  ["--host", "DT_HOST"],
  ["--model", "DT_MODEL"],
  ["--data-dir", "DT_DATA_DIR"],
]);

/** Reads the command line; throws {@link SetupError} that names what is wrong with it. */
export function parseServerArgs(argv: readonly string[]): ServerArgs {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  const [word, ...rest] = positionals;
  if (word === "trust") return parseTrust(rest);
  if (word !== undefined) throw fault(`${word} is not a command`);
  return { type: "run", isDebug: values.debug === true };
}

// A workspace that is called like a word here is named with its path: ./list.
function parseTrust(words: readonly string[]): ServerArgs {
  const [verb, directory, ...surplus] = words[0] === "revoke" ? words : ["trust", ...words];
  if (directory === undefined)
    throw fault(`dt-server ${["trust", ...words].join(" ")} needs a directory`);
  if (surplus[0] !== undefined) throw fault(`${surplus[0]} is more than it takes`);
  if (verb === "revoke") return { type: "revoke-trust", directory };
  return directory === "list" ? { type: "list-trusted" } : { type: "trust", directory };
}

function fault(sentence: string, cause?: unknown): SetupError {
  return new SetupError(`${sentence}; try dt-server --help`, { cause });
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (cause) {
    const [sentence] = (cause instanceof Error ? cause.message : String(cause)).split(/\. |\n/);
    const [, typed] = /^Unknown option '(--[^'=]+)/.exec(sentence ?? "") ?? [];
    const known = [...Object.keys(options).map((name) => `--${name}`), ...variables.keys()];
    const meant = typed === undefined ? undefined : findNearest(typed, known);
    const variable = variables.get(typed ?? "") ?? variables.get(meant ?? "");
    if (variable !== undefined) throw fault(`${sentence}; set ${variable} instead`, cause);
    throw fault(`${sentence}${meant === undefined ? "" : `, did you mean ${meant}?`}`, cause);
  }
}
