import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { SandboxSettings } from "../settings/sandbox/sandbox-settings.js";
import { SettingsError } from "../settings/settings-error.js";
import { isBelow } from "../workspace/follow-links.js";
import type { Program, Sandbox } from "../workspace/processes/sandbox.js";
import { hasProtectedName } from "../workspace/protected-paths.js";
import type { Workspace } from "../workspace/workspace.js";
import { bwrapArguments, type SandboxLayout } from "./bwrap-arguments.js";
import { findBwrap } from "./find-bwrap.js";
import { secretFiles } from "./secret-files.js";

/** Options of {@link openSandbox}. */
export interface SandboxOptions {
  readonly settings: SandboxSettings | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The person's home directory, which is hidden. */
  readonly home: string;
  readonly workspace: Workspace;
  /** Directory for temporary files of the session's programs. It is created. */
  readonly temporaryDirectory: string;
  /** Directories of the agent itself, which are hidden. */
  readonly agentDirectories: readonly string[];
}

/** Files of `.git` that decide which programs git runs. */
const GIT_FILES = ["hooks", "config", "config.worktree"];

/**
 * Opens the sandbox of a session. Resolves with undefined if the settings ask for none. Throws
 * {@link SettingsError} if bubblewrap cannot be used, or if the home directory is in the workspace.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox | undefined> {
  const { settings = {}, environment, workspace, temporaryDirectory } = options;
  if ((settings.program ?? "none") === "none") return undefined;
  const home = await resolveExisting(options.home);
  if (home !== undefined && isBelow(workspace.root, home)) throw homeInWorkspace(workspace);
  const bwrap = await findBwrap(settings, environment, workspace);
  await mkdir(temporaryDirectory, { recursive: true, mode: 0o700 });
  const isOnline = settings.network === "on";
  const toPath = (named: string) => expandHome(named, { home: options.home, workspace });
  const fixed = {
    workspace: workspace.root,
    temporaryDirectory: await realpath(temporaryDirectory),
    isOnline,
    readable: await resolveAll([
      ...(settings.readable ?? []).map(toPath),
      // On many systems this file is a link into /run, which is hidden.
      ...(isOnline ? ["/etc/resolv.conf"] : []),
    ]),
    writable: await resolveAll((settings.writable ?? []).map(toPath)),
  };
  return {
    isolation: isOnline ? "online" : "offline",
    holder: "bwrap",
    async wrap(program: Program) {
      const layout = { ...fixed, ...(await findHidden(options)), ...(await findReadOnly(fixed)) };
      const { directory } = program;
      return { file: bwrap, args: bwrapArguments(layout, program), directory };
    },
  };
}

function homeInWorkspace({ root }: Workspace): SettingsError {
  const problem = `the sandbox hides the home directory, which is in the workspace ${root}; start in a directory below it, or set DT_SANDBOX=none`;
  return new SettingsError([{ file: "DT_SANDBOX", key: "", problem }]);
}

/** Returns an absolute path. `~/` is the home directory, and a relative path starts at the workspace. */
function expandHome(
  named: string,
  { home, workspace }: Pick<SandboxOptions, "home" | "workspace">,
): string {
  if (named === "~") return home;
  return named.startsWith("~/")
    ? path.join(home, named.slice(2))
    : path.resolve(workspace.root, named);
}

/**
 * Finds what is hidden: the home, directories of the agent, `/run` with the sockets of the system's services, and
 * files with keys.
 */
async function findHidden({
  home,
  environment,
  agentDirectories,
}: SandboxOptions): Promise<Pick<SandboxLayout, "hiddenDirectories" | "hiddenFiles">> {
  const { XDG_RUNTIME_DIR: runtime } = environment;
  // The configuration stays hidden even if the settings show the home.
  const configuration = path.join(home, ".config", "dt");
  const named = [home, configuration, "/run", ...(runtime ? [runtime] : []), ...agentDirectories];
  const directories = await resolveAll(named.filter(path.isAbsolute));
  return {
    hiddenDirectories: directories.filter((directory) => directory !== "/"),
    hiddenFiles: await resolveAll(secretFiles(environment)),
  };
}

/** Finds settings, git and hook files at the top of the workspace. Commands can read them, but not change them. */
async function findReadOnly({
  workspace,
}: Pick<SandboxLayout, "workspace">): Promise<Pick<SandboxLayout, "anchored" | "readOnly">> {
  const names = (await readdir(workspace)).filter(hasProtectedName);
  const git = path.join(workspace, ".git");
  const isRepository = (await stat(git).catch(() => undefined))?.isDirectory() === true;
  const files = names.filter((name) => !(isRepository && name === ".git"));
  const found = await resolveAll([
    ...files.map((name) => path.join(workspace, name)),
    ...(isRepository ? GIT_FILES.map((name) => path.join(git, name)) : []),
  ]);
  return {
    anchored: isRepository ? await resolveAll([git]) : [],
    // A link that leads out of the workspace leads to a read-only path anyway.
    readOnly: found.filter((file) => isBelow(workspace, file)),
  };
}

async function resolveAll(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map(resolveExisting));
  return [...new Set(found.filter((file) => file !== undefined))];
}

async function resolveExisting(file: string): Promise<string | undefined> {
  return await realpath(file).catch(() => undefined);
}
