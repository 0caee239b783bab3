import { parseArgs } from "node:util";
import { findNearest, ROLES, type Role } from "@dt/schema";
import { SetupError } from "@dt/server";
import { SERVER_OPTIONS } from "./options.js";

/** A parsed command line. */
export type ServerArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "list-trusted" }
  | { readonly type: "trust"; readonly directory: string }
  | { readonly type: "revoke-trust"; readonly directory: string }
  | CreateTokenArgs
  | { readonly type: "list-tokens" }
  | { readonly type: "revoke-token"; readonly user: string; readonly name: string }
  | { readonly type: "give-sessions"; readonly from: string; readonly to: string }
  | AuditArgs
  | StoreArgs
  | { readonly type: "run"; readonly isDebug: boolean };

/** Arguments of `dt-server token create`. */
export interface CreateTokenArgs {
  readonly type: "create-token";
  readonly user: string;
  readonly name: string;
  readonly role: Role;
  readonly tier?: string;
  readonly lifetimeMs?: number;
}

/** Arguments of `dt-server audit`. The export begins at a given time, or a given duration before now. */
export type AuditArgs = { readonly type: "audit" } & (
  | { readonly since: string }
  | { readonly lastMs: number }
);

/** Arguments of the commands that manage the whole store. */
export type StoreArgs =
  | { readonly type: "migrate" }
  | { readonly type: "backup"; readonly file: string }
  | { readonly type: "restore"; readonly file: string; readonly replaces: boolean }
  | { readonly type: "export-task"; readonly taskId: string };

/** Options that people know from other servers, each with the variable that dt-server has instead. */
const VARIABLES_BY_OPTION: ReadonlyMap<string, string> = new Map([
  ["--port", "CODER_AGENT_PORT"],
  ["--host", "DT_HOST"],
  ["--model", "DT_MODEL"],
  ["--data-dir", "DT_DATA_DIR"],
]);

/** Parses the command line; throws a {@link SetupError} of one line if an argument is invalid. */
export function parseServerArgs(argv: readonly string[]): ServerArgs {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  const [command, ...rest] = positionals;
  const { debug: _, ...named } = values;
  const words = positionals.slice(0, 2).join(" ");
  checkOptions(named, OPTIONS_BY_COMMAND[words] ?? OPTIONS_BY_COMMAND[command ?? ""] ?? []);
  if (command === "trust") return parseTrust(rest);
  if (command === "token") return parseToken(rest, named);
  if (command === "audit") return parseAudit(rest, named);
  if (isStoreCommand(command)) return parseStoreCommand(command, rest, named);
  if (command === "sessions") return parseSessions(rest, named);
  if (command !== undefined) throw fault(`${command} is not a command`);
  return { type: "run", isDebug: values.debug === true };
}

type Named = Omit<ReturnType<typeof parse>["values"], "help" | "version" | "debug">;

/** Options of each subcommand that has options of its own. `--debug` is allowed with every subcommand. */
const OPTIONS_BY_COMMAND: Readonly<Record<string, readonly (keyof Named)[]>> = {
  "token create": ["user", "name", "role", "tier", "expires"],
  "sessions give": ["from", "to"],
  audit: ["since"],
  restore: ["replace"],
};

function checkOptions(named: Named, allowed: readonly string[]): void {
  const foreign = Object.keys(named).find((name) => !allowed.includes(name));
  if (foreign === undefined) return;
  const [owner] =
    Object.entries(OPTIONS_BY_COMMAND).find(([, names]) =>
      names.some((name) => name === foreign),
    ) ?? [];
  throw fault(`--${foreign} is an option of dt-server ${owner}`);
}

function parseToken([verb, ...rest]: readonly string[], named: Named): ServerArgs {
  const [value, extra] = verb === "revoke" ? rest : [undefined, rest[0]];
  if (extra !== undefined) throw fault(`unexpected argument ${extra}`);
  if (verb === "list") return { type: "list-tokens" };
  if (verb === "create") return parseNewToken(named);
  if (verb !== "revoke") throw fault("expected token create, token list or token revoke");
  const [user, name, other] = value?.split("/") ?? [];
  if (user && name && other === undefined) return { type: "revoke-token", user, name };
  throw fault("dt-server token revoke needs USER/DEVICE, as dt-server token list shows it");
}

function parseNewToken({ user, name, role, tier, expires }: Named): CreateTokenArgs {
  if (user === undefined || name === undefined || role === undefined) {
    throw fault("dt-server token create needs --user, --name and --role");
  }
  const known = ROLES.find((each) => each === role);
  if (known === undefined) throw fault(`--role: expected one of ${ROLES.join(", ")}, got ${role}`);
  return {
    type: "create-token",
    user,
    name,
    role: known,
    ...(tier !== undefined && { tier }),
    ...(expires !== undefined && { lifetimeMs: parseLifetime(expires) }),
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseLifetime(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw fault(`--expires: expected a time such as 12h or 30d, got ${text}`);
}

function parseDuration(text: string): number | undefined {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

function parseAudit([extra]: readonly string[], { since }: Named): AuditArgs {
  if (extra !== undefined) throw fault(`unexpected argument ${extra}`);
  if (since === undefined) throw fault("dt-server audit needs --since");
  const lastMs = parseDuration(since);
  if (lastMs !== undefined) return { type: "audit", lastMs };
  const isTime = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(since);
  const time = isTime ? new Date(since) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return { type: "audit", since: time.toISOString() };
  throw fault(`--since: expected a time such as 7d, 12h or 2026-01-31, got ${since}`);
}

const STORE_COMMANDS = ["migrate", "backup", "restore", "export"] as const;

type StoreCommand = (typeof STORE_COMMANDS)[number];

function isStoreCommand(command: string | undefined): command is StoreCommand {
  return STORE_COMMANDS.some((each) => each === command);
}

function parseStoreCommand(
  command: StoreCommand,
  [value, extra, ...others]: readonly string[],
  { replace = false }: Named,
): StoreArgs {
  const surplus = command === "migrate" ? value : (extra ?? others[0]);
  if (surplus !== undefined) throw fault(`unexpected argument ${surplus}`);
  if (command === "migrate") return { type: "migrate" };
  const wanted = command === "export" ? "the id of a task" : "a file";
  if (!value) throw fault(`dt-server ${command} needs ${wanted}`);
  if (command === "export") return { type: "export-task", taskId: value };
  if (command === "backup") return { type: "backup", file: value };
  return { type: "restore", file: value, replaces: replace };
}

function parseSessions([verb, extra]: readonly string[], { from, to }: Named): ServerArgs {
  if (extra !== undefined) throw fault(`unexpected argument ${extra}`);
  if (verb !== "give") throw fault("expected sessions give");
  if (!from || !to) throw fault("dt-server sessions give needs --from and --to");
  return { type: "give-sessions", from, to };
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
