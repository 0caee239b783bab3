import { expect, test } from "vitest";
import { bwrapArguments, type SandboxLayout } from "./bwrap-arguments.js";

const program = { file: "/bin/sh", args: ["-c", "ls"], directory: "/home/ada/work/sub" };

const LAYOUT: SandboxLayout = {
  workspace: "/home/ada/work",
  temporaryDirectory: "/home/ada/.local/share/dt/sessions/1/tmp",
  hiddenDirectories: ["/home/ada", "/run"],
  hiddenFiles: [],
  readable: [],
  writable: [],
  anchored: [],
  readOnly: [],
  isOnline: false,
};

/** Returns the mounts, in order, as `option target`. */
function mountsFor(layout: Partial<SandboxLayout>): readonly string[] {
  const args = bwrapArguments({ ...LAYOUT, ...layout }, program);
  const first = args.indexOf("/proc") + 1;
  const text = args.slice(first, args.indexOf("--unsetenv")).join(" ");
  return text.split(/ (?=--)/).map((mount) => {
    const words = mount.split(" ");
    return `${words[0]} ${words.at(-1)}`;
  });
}

test("a program in a sandbox has a read-only root, its workspace, and no network [SEC-04]", () => {
  const args = bwrapArguments(LAYOUT, program);

  const { temporaryDirectory } = LAYOUT;
  expect(args).toEqual([
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--unshare-net", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--tmpfs", "/run", "--bind", temporaryDirectory, "/tmp"],
    ...["--tmpfs", "/home/ada", "--bind", temporaryDirectory, "/var/tmp"],
    ...["--bind", "/home/ada/work", "/home/ada/work"],
    ...["--unsetenv", "TMPDIR", "--unsetenv", "TMP", "--unsetenv", "TEMP"],
    ...["--chdir", "/home/ada/work/sub", "--", "/bin/sh", "-c", "ls"],
  ]);
});

test("a sandbox with network access uses the network of the system", () => {
  expect(bwrapArguments({ ...LAYOUT, isOnline: true }, program)).not.toContain("--unshare-net");
});

const CASES: readonly (readonly [string, Partial<SandboxLayout>, readonly string[]])[] = [
  [
    "a readable path below the hidden home is mounted after the home",
    { readable: ["/home/ada/.gitconfig"] },
    ["--tmpfs /home/ada", "--ro-bind-try /home/ada/.gitconfig"],
  ],
  [
    "a hidden directory below a readable path stays hidden",
    { readable: ["/srv"], hiddenDirectories: ["/srv/dt/data"] },
    ["--ro-bind-try /srv", "--tmpfs /srv/dt/data"],
  ],
  [
    "the workspace is visible inside a hidden directory",
    { workspace: "/tmp/work" },
    ["--bind /tmp", "--bind /tmp/work"],
  ],
  [
    "the agent's data inside the workspace is hidden",
    { workspace: "/srv", hiddenDirectories: ["/srv/data"] },
    ["--bind /srv", "--tmpfs /srv/data"],
  ],
  [
    "a file with a key is hidden below a readable directory",
    { readable: ["/etc/dt"], hiddenFiles: ["/etc/dt/key"] },
    ["--ro-bind-try /etc/dt", "--ro-bind /etc/dt/key"],
  ],
  [
    "hooks are read-only below a repository that cannot be renamed",
    { anchored: ["/home/ada/work/.git"], readOnly: ["/home/ada/work/.git/hooks"] },
    ["--bind /home/ada/work", "--bind /home/ada/work/.git", "--ro-bind /home/ada/work/.git/hooks"],
  ],
  [
    "a path that the settings make writable is no longer read-only",
    { readOnly: ["/home/ada/work/.vscode"], writable: ["/home/ada/work/.vscode"] },
    ["--ro-bind /home/ada/work/.vscode", "--bind-try /home/ada/work/.vscode"],
  ],
];

test.each(CASES)("%s", (_, layout, expected) => {
  const mounts = mountsFor(layout);

  expect(mounts.filter((mount) => expected.includes(mount))).toEqual(expected);
});
