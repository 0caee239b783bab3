import type { Program } from "../workspace/processes/sandbox.js";

/** The files that programs in a sandbox see. All paths are absolute, without links. */
export interface SandboxLayout {
  readonly workspace: string;
  /** Directory that appears as `/tmp` and `/var/tmp`. */
  readonly temporaryDirectory: string;
  /** Existing directories that appear empty. */
  readonly hiddenDirectories: readonly string[];
  /** Existing files that appear empty. */
  readonly hiddenFiles: readonly string[];
  /** Paths that appear although a directory above them is hidden. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Existing paths below the workspace that must not be renamed, so that paths below them stay read-only. */
  readonly anchored: readonly string[];
  /** Existing paths below the workspace that are read-only. */
  readonly readOnly: readonly string[];
  readonly isOnline: boolean;
}

interface Mount {
  readonly target: string;
  readonly args: readonly string[];
}

/** Variables that name a directory for temporary files. They are removed, so that programs use `/tmp`. */
const TEMPORARY_VARIABLES = ["TMPDIR", "TMP", "TEMP"];

/** Returns the arguments with which bubblewrap runs a program in a sandbox. Pure. */
export function bwrapArguments(layout: SandboxLayout, program: Program): readonly string[] {
  return [
    ...isolationArguments(layout),
    ...inOrder(mountsOf(layout)).flatMap(({ args }) => args),
    ...TEMPORARY_VARIABLES.flatMap((name) => ["--unsetenv", name]),
    ...["--chdir", program.directory, "--", program.file, ...program.args],
  ];
}

/**
 * Returns the arguments that separate a sandbox from the system. The root directory is read-only. A program
 * that runs as root gets no capabilities, because with capabilities it could leave the sandbox. Pure.
 *
 * `--die-with-parent` is left out, because it would kill a cancelled command before the command can clean up.
 */
export function isolationArguments({ isOnline }: Pick<SandboxLayout, "isOnline">): string[] {
  return [
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(isOnline ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ];
}

/** Lists the mounts. If two mounts have the same target, the later one takes effect. */
function mountsOf(layout: SandboxLayout): readonly Mount[] {
  const { workspace, temporaryDirectory } = layout;
  const bind = (option: string) => (target: string) => ({ target, args: [option, target, target] });
  return [
    ...layout.hiddenDirectories.map((target) => ({ target, args: ["--tmpfs", target] })),
    ...["/tmp", "/var/tmp"].map((target) => ({
      target,
      args: ["--bind", temporaryDirectory, target],
    })),
    ...layout.hiddenFiles.map((target) => ({ target, args: ["--ro-bind", "/dev/null", target] })),
    ...layout.readable.map(bind("--ro-bind-try")),
    bind("--bind")(workspace),
    ...layout.anchored.map(bind("--bind")),
    ...layout.readOnly.map(bind("--ro-bind")),
    ...layout.writable.map(bind("--bind-try")),
  ];
}

/** Sorts mounts by the depth of their targets, because a mount hides earlier mounts below its target. */
function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const depthOf = ({ target }: Mount) => target.split("/").filter((part) => part !== "").length;
  return mounts.toSorted((a, b) => depthOf(a) - depthOf(b));
}
