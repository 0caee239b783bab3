import type { ShellPart } from "../shell/shell-part.js";
import { programName } from "../shell/shell-part.js";

const withSubcommands = new Set([
  ...["git", "gh", "glab", "hg", "svn", "npm", "pnpm", "yarn", "bun", "corepack", "turbo", "nx"],
  ...["cargo", "rustup", "go", "pip", "pip3", "uv", "poetry", "conda", "gem", "bundle", "composer"],
  ...["docker", "docker-compose", "podman", "kubectl", "helm", "terraform", "gcloud", "aws", "az"],
  ...["apt", "apt-get", "brew", "dnf", "yum", "pacman", "apk", "snap", "systemctl", "service"],
  ...["make", "just", "task", "rake", "mvn", "gradle", "gradlew", "dotnet", "mix", "swift", "buf"],
]);

const interpreters = new Set([
  ...["node", "deno", "ruby", "perl", "php", "lua", "awk", "gawk", "mawk", "nawk", "tclsh", "java"],
  ...["osascript", "pwsh", "powershell", "cmd", "rscript", "jshell", "groovy", "tsx", "ts-node"],
]);

// Each can destroy, write anywhere, gain rights, reach the network or run what its arguments say.
const risky = new Set([
  ...["sudo", "doas", "su", "runuser", "pkexec", "kill", "pkill", "killall", "shutdown", "reboot"],
  ...["rm", "rmdir", "unlink", "shred", "dd", "fdisk", "parted", "mount", "umount", "truncate"],
  ...["chmod", "chown", "chgrp", "chattr", "setfacl", "mv", "cp", "ln", "install", "tee", "patch"],
  ...["rsync", "scp", "sftp", "ssh", "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet"],
  ...["tar", "zip", "unzip", "crontab", "at", "batch", "launchctl", "halt", "poweroff", "sed"],
  ...["npx", "pnpx", "bunx", "uvx", "pipx", "vi", "vim", "nvim", "nano", "emacs", "gdb", "lldb"],
  ...["ed", "ex", "alias", "unalias", "enable", "hash", "bind", "complete", "set", "shopt", "trap"],
  ...["source", ".", "export", "declare", "typeset", "local", "readonly", "unset", "read", "let"],
  ...[
    "mapfile",
    "readarray",
    "getopts",
    "pushd",
    "popd",
    "eval",
    "exec",
    "sqlite3",
    "psql",
    "mysql",
  ],
]);

const riskySubcommands: ReadonlyMap<string, RegExp> = new Map([
  [
    "git",
    /^(push|reset|clean|config|bisect|rebase|submodule|filter-branch|difftool|mergetool|rm|worktree|checkout|restore|switch|stash|gc|reflog|update-ref|send-email|daemon|hook|credential|remote)$/,
  ],
  ["npm", /^(exec|x|init|create|publish|unpublish|config|set|explore)$/],
  ["pnpm", /^(exec|dlx|create|publish|config|env)$/],
  ["yarn", /^(exec|dlx|create|publish|config|node)$/],
  ["bun", /^(x|create|publish|repl)$/],
  ["cargo", /^(run|publish|install|login)$/],
  ["go", /^(run|generate|env|install|tool)$/],
  ["docker", /^(run|exec|rm|rmi|system|volume|push|login|cp|compose)$/],
  ["podman", /^(run|exec|rm|rmi|system|volume|push|login|cp|compose)$/],
  ["kubectl", /^(exec|delete|apply|edit|patch|replace|drain|cp|run|attach)$/],
  ["uv", /^(run|x|tool|publish)$/],
  ["gh", /^(api|auth|alias|extension|secret)$/],
]);

// Options by which otherwise harmless programs run another or write a file.
const riskyOptions =
  /^--?(exec|execdir|ok|okdir|exec-batch|delete|fprint.*|fls|pre|config|config-env|output|script-shell|upload-pack|receive-pack|ext-diff|textconv|open-files-in-pager|compress-program|rsh|toolexec|use-compress-program|to-command|checkpoint-action|hostname-bin|eval|import|require|loader|in-place|force|unsafe-perm)(=|$)|^-O/;
const riskyShortOptions: ReadonlyMap<string, RegExp> = new Map([
  ["sort", /^-\w*o/],
  ["fd", /^-\w*[xX]/],
  ["fdfind", /^-\w*[xX]/],
  ["tree", /^-\w*o/],
  ["make", /^(-|\w+=)/],
  ["uniq", /^[^-]/],
]);

/** Whether a program's first word says what it does, as in `git status`. */
export function hasSubcommands(program: string): boolean {
  return withSubcommands.has(programName(program));
}

/** Whether a program runs a program that stands in its arguments or in a file. */
export function isInterpreter(program: string): boolean {
  const name = programName(program);
  return interpreters.has(name) || /^(python|pypy)/.test(name);
}

/** Whether an "always" must not go further than the very command that was shown. */
export function isRisky({ program = "", args }: ShellPart): boolean {
  const name = programName(program);
  if (risky.has(name) || name.startsWith("mkfs") || isInterpreter(program)) return true;
  if (riskySubcommands.get(name)?.test(args[0] ?? "")) return true;
  return args.some(
    (arg = "") => riskyOptions.test(arg) || riskyShortOptions.get(name)?.test(arg) === true,
  );
}
