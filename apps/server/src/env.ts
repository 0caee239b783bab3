import path from "node:path";
import { SetupError } from "@dt/server";

/** What the environment decides. */
export interface Env {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly workspaceRoots: readonly string[];
  /** Where clients that name no workspace work. */
  readonly defaultWorkspace: string;
  readonly isExtensionRequired: boolean;
  /** The variables that choose a model and give access to it. */
  readonly models: Readonly<Record<string, string | undefined>>;
}

/** What the environment is read from. */
export interface EnvSource {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly startDirectory: string;
}

/** Reads the environment; throws {@link SetupError} that names the variable. */
export function parseEnv({ variables, home, startDirectory }: EnvSource): Env {
  const start = variables.INIT_CWD ?? startDirectory;
  return {
    host: variables.DT_HOST || "127.0.0.1",
    port: parsePort(variables.CODER_AGENT_PORT),
    dataDir:
      variables.DT_DATA_DIR ||
      path.join(variables.XDG_DATA_HOME || path.join(home, ".local", "share"), "dt"),
    workspaceRoots: parseRoots(variables.DT_WORKSPACE_ROOTS) ?? defaultRoots([start, home]),
    defaultWorkspace: path.resolve(start, variables.CODER_AGENT_WORKSPACE_PATH || "."),
    isExtensionRequired: parseFlag("DT_EXTENSION_REQUIRED", variables.DT_EXTENSION_REQUIRED),
    models: variables,
  };
}

function parsePort(value: string | undefined): number {
  if (value === undefined || value === "") return 41_242;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port <= 65_535) return port;
  throw new SetupError(`CODER_AGENT_PORT: expected a port from 0 to 65535, got ${value}`);
}

function parseFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "false") return false;
  if (value === "true") return true;
  throw new SetupError(`${name}: expected true or false, got ${value}`);
}

function parseRoots(value: string | undefined): readonly string[] | undefined {
  if (value === undefined || value === "") return undefined;
  const roots = value.split(path.delimiter).filter((root) => root !== "");
  const relative = roots.find((root) => !path.isAbsolute(root));
  if (relative === undefined) return roots;
  throw new SetupError(`DT_WORKSPACE_ROOTS: expected absolute paths, got ${relative}`);
}

// The whole file system is never a default.
function defaultRoots(directories: readonly string[]): readonly string[] {
  const roots = directories.filter((directory) => path.parse(directory).root !== directory);
  return [...new Set(roots.filter((directory) => directory !== ""))];
}
