import { isBelow } from "./follow-links.js";

/**
 * Names of files and directories that control the agent, git, an editor or a shell, or that hold credentials.
 * They are protected in every directory. Everything below a protected directory is protected too.
 *
 * Files that control only a build or a test (package.json, .npmrc, Makefile, .github/workflows) are
 * left out, because editing them is ordinary work. Context files (AGENTS.md, GEMINI.md) are left out,
 * because they are only text for the model and cannot permit anything.
 */
export const PROTECTED_NAMES: readonly string[] = [
  // Coding agents: settings, commands, MCP servers.
  ...[".dt", ".gemini", ".claude", ".codex", ".cursor", ".windsurf", ".continue", ".mcp.json"],
  // git, its hooks, and files of hook managers.
  ...[".git", "git~1", ".gitmodules", ".gitattributes", ".gitconfig", ".githooks", ".husky"],
  ".bare",
  ...[".lefthook", "lefthook.yml", ".lefthook.yml", ".pre-commit-config.yaml"],
  // Editors.
  ...[".vscode", ".idea", ".zed", ".vs", ".fleet", ".devcontainer", ".devcontainer.json"],
  ...[".vim", ".vimrc", ".nvimrc", ".nvim.lua", ".exrc", ".gvimrc", ".emacs", ".emacs.d"],
  ".dir-locals.el",
  // Files that shells load at their start or on entering a directory.
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc"],
  ...[".tcshrc", ".login", ".logout", ".inputrc", ".envrc", ".xprofile", ".xinitrc"],
  ...["profile.ps1", "microsoft.powershell_profile.ps1"],
  // Credentials.
  ...[".ssh", ".gnupg"],
];

/** Names that are protected only directly below a certain directory, such as `git` below `.config`. */
export const PROTECTED_SEQUENCES: readonly (readonly string[])[] = [
  [".config", "dt"],
  [".config", "gemini-cli"],
  [".config", "git"],
  [".config", "fish"],
  [".config", "nvim"],
  [".config", "zed"],
  [".config", "powershell"],
  [".config", "systemd"],
  [".config", "autostart"],
  [".config", "environment.d"],
];

const NAMES = new Set(PROTECTED_NAMES);

/** True if a path contains a protected name. Checks only the text of the path and does not follow links. */
export function hasProtectedName(file: string): boolean {
  const components = file.split(/[/\\]/).map(normalName);
  return (
    components.some(isProtectedName) ||
    components.slice(0, -1).some(isBareRepository) ||
    PROTECTED_SEQUENCES.some((sequence) =>
      components.some((_, at) => isAt(sequence, components, at)),
    )
  );
}

/** True if a text other than a path, such as a command, mentions a protected name. */
export function mentionsProtectedName(text: string): boolean {
  return text.split(/[^\p{L}\p{M}\p{N}\p{Cf}._~/\\-]+/u).some(hasProtectedName);
}

function isProtectedName(name: string): boolean {
  return NAMES.has(name) || name.endsWith(".code-workspace");
}

// Returns true for a name such as `mirror.git`, because a directory of that name may be a bare repository.
// Files in a bare repository control git.
function isBareRepository(name: string): boolean {
  return name.length > 4 && name.endsWith(".git");
}

function isAt(sequence: readonly string[], components: readonly string[], at: number): boolean {
  return sequence.every((name, index) => components[at + index] === name);
}

// Returns the form in which a file system may look up a name. Some file systems ignore case, invisible
// characters, or dots and spaces at the end. Some treat the text after a colon as a stream of the same file.
function normalName(name: string): string {
  const [visible = ""] = name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .split(":", 1);
  let end = visible.length;
  while (end > 0 && ". ".includes(visible[end - 1] ?? "")) end -= 1;
  return visible.slice(0, end).toLowerCase();
}

/** True if a path is the directory or lies below it, ignoring case. */
export function isBelowInAnyCase(directory: string, file: string): boolean {
  return isBelow(directory.toLowerCase(), file.toLowerCase());
}
