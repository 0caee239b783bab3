import { parseArgs } from "node:util";
import { SetupError } from "@dt/server";

/** What the command line asks for. */
export type ServerArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "run"; readonly isDebug: boolean };

/** What `dt-server --help` prints. */
export const usage = `dt-server: the coding agent as a service

  dt-server         listen on 127.0.0.1:41242 until SIGTERM or Ctrl-C

      --debug       log all that happens, as JSON lines on stderr
  -h, --help        show this
      --version     show the version

The environment decides the rest: CODER_AGENT_PORT, DT_HOST, DT_DATA_DIR, DT_WORKSPACE_ROOTS,
DT_MODEL, DT_LOG_LEVEL and more; see apps/server/README.md.

Exit codes: 0 it was stopped, 1 it failed or was asked to stop twice, 2 the command line or the set-up is wrong.`;

/** Reads the command line; throws {@link SetupError} that names what is wrong with it. */
export function parseServerArgs(argv: readonly string[]): ServerArgs {
  const { values } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  return { type: "run", isDebug: values.debug === true };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      options: {
        debug: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
  } catch (cause) {
    const [sentence] = (cause instanceof Error ? cause.message : String(cause)).split(/\. |\n/);
    throw new SetupError(`${sentence}; try dt-server --help`, { cause });
  }
}
