import path from "node:path";
import { describeMisspeltVariables } from "@dt/agent-core";
import type { AllowList } from "@dt/schema/address";
import { type Limits, type LogLevel, logLevels, type PushOptions } from "@dt/server";
import {
  parseAddresses,
  parseDirectories,
  parseFlag,
  parseList,
  parseNumber,
  parseOrigins,
  parseWord,
} from "./variable-types.js";

/** What the environment decides. */
export interface Env {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** The home of whoever runs the server: their settings and extensions. */
  readonly home: string;
  readonly workspaceRoots: readonly string[];
  /** Where clients that name no workspace work. */
  readonly defaultWorkspace: string;
  readonly isExtensionRequired: boolean;
  /** Origins of web pages that may use the server. */
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** How much is taken on; what is not set has the server's default. */
  readonly limits: Partial<Limits>;
  readonly maxBodyBytes: number | undefined;
  /** How receivers are called back; false: nobody is. */
  readonly push: PushOptions | false;
  /** Where else than on the public internet the MCP servers of clients may be. */
  readonly mcpAllowList: AllowList;
  /** How long turns may go on once the server was asked to stop. */
  readonly shutdownGraceMs: number;
  /** Variables that are set and probably mean others, each in a sentence. */
  readonly warnings: readonly string[];
  /** All variables: they choose a model and give access to it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** What the environment is read from. */
export interface EnvSource {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly startDirectory: string;
}

const DAY_MS = 24 * 60 * 60_000;

/** Reads the environment; throws {@link SetupError} that names the variable. */
export function parseEnv({ variables, home, startDirectory }: EnvSource): Env {
  const start = variables.INIT_CWD ?? startDirectory;
  const known = new Set<string>();
  const variable = (name: string) => {
    known.add(name);
    return { name, value: variables[name] };
  };
  const env = {
    host: variable("DT_HOST").value || "127.0.0.1",
    port: parseNumber(variable("CODER_AGENT_PORT"), { min: 0, max: 65_535 }) ?? 41_242,
    dataDir:
      variable("DT_DATA_DIR").value ||
      path.join(variables.XDG_DATA_HOME || path.join(home, ".local", "share"), "dt"),
    home,
    workspaceRoots: parseDirectories(variable("DT_WORKSPACE_ROOTS")) ?? defaultRoots([start, home]),
    defaultWorkspace: path.resolve(start, variable("CODER_AGENT_WORKSPACE_PATH").value || "."),
    isExtensionRequired: parseFlag(variable("DT_EXTENSION_REQUIRED")),
    allowedOrigins: parseOrigins(variable("DT_ALLOWED_ORIGINS")),
    logLevel:
      parseWord(variable("DT_LOG_LEVEL"), logLevels) ??
      (variables.NODE_ENV === "development" ? "info" : "warn"),
    limits: parseLimits(variable),
    maxBodyBytes: parseNumber(variable("DT_MAX_BODY_BYTES"), { min: 1024 }),
    push: parsePush(variable),
    mcpAllowList: parseAddresses(variable("DT_MCP_ALLOW")),
    shutdownGraceMs: parseNumber(variable("DT_SHUTDOWN_GRACE_MS"), { min: 0 }) ?? 10_000,
    variables,
  };
  return {
    ...env,
    warnings: describeMisspeltVariables(variables, [...known, "DT_PUSH_SECRET_FILE"]),
  };
}

type ReadVariable = (name: string) => { name: string; value: string | undefined };

function parsePush(variable: ReadVariable): PushOptions | false {
  if (parseWord(variable("DT_PUSH"), ["on", "off"]) === "off") return false;
  const allowList = parseList(variable("DT_PUSH_ALLOW"));
  const { value: secret } = variable("DT_PUSH_SECRET");
  const timeoutMs = parseNumber(variable("DT_PUSH_TIMEOUT_MS"), { min: 1, max: 600_000 });
  const maxFailures = parseNumber(variable("DT_PUSH_MAX_FAILURES"), { min: 1 });
  return {
    ...(allowList !== undefined && { allowList }),
    ...(secret && { secret }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxFailures !== undefined && { retry: { maxFailures } }),
  };
}

function parseLimits(variable: ReadVariable): Partial<Limits> {
  const read = (name: string) => parseNumber(variable(name), { min: 1 });
  const ttlDays = parseNumber(variable("DT_SESSION_TTL_DAYS"), { min: 1, max: 36_500 });
  const idleMinutes = read("DT_SESSION_IDLE_MINUTES");
  return withoutUndefined({
    maxTurns: read("DT_MAX_TURNS"),
    maxTurnsPerOwner: read("DT_MAX_TURNS_PER_OWNER"),
    maxWaitingPrompts: read("DT_MAX_WAITING_PROMPTS"),
    maxTasksPerOwner: read("DT_MAX_TASKS_PER_OWNER"),
    maxStreamsPerPrincipal: read("DT_MAX_STREAMS_PER_PRINCIPAL"),
    maxConnections: read("DT_MAX_CONNECTIONS"),
    maxSessionsInMemory: read("DT_MAX_SESSIONS_IN_MEMORY"),
    sessionIdleMs: idleMinutes && idleMinutes * 60_000,
    sessionTtlMs: ttlDays && ttlDays * DAY_MS,
  });
}

function withoutUndefined(
  limits: {
    [name in keyof Limits]?: number | undefined;
  },
): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

// The whole file system is never a default.
function defaultRoots(directories: readonly string[]): readonly string[] {
  const roots = directories.filter((directory) => path.parse(directory).root !== directory);
  return [...new Set(roots.filter((directory) => directory !== ""))];
}
