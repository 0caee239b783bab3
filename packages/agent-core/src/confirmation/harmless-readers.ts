import type { ShellPart } from "../shell/shell-part.js";

const withoutRisks = [
  ...["ls", "pwd", "cat", "head", "tail", "wc", "echo", "grep", "egrep", "fgrep", "stat", "diff"],
  ...["cmp", "cut", "tr", "nl", "du", "df", "seq", "basename", "dirname", "realpath", "readlink"],
  ...["whoami", "uname", "which", "sleep", "true", "false", ":"],
  ...["git status", "git ls-files", "git rev-parse", "git worktree list", "go version"],
];

const gitRisks = ["--output", "--output-directory", "--ext-diff", "--textconv"];

/**
 * Programs that only look, by the words they begin with, each with the options by which even it
 * writes a file or runs a program. One belongs here only if its manual names no others.
 */
const readers: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...withoutRisks.map((words) => [words, []] as const),
  ["printf", ["-v"]],
  ["sort", ["-o", "-T", "--output", "--compress-program", "--temporary-directory"]],
  ["rg", ["-z", "--pre", "--hostname-bin", "--search-zip"]],
  ["find", ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fls"]],
  ["git diff", gitRisks],
  ["git log", gitRisks],
  ["git show", gitRisks],
  ["git blame", gitRisks],
  ["git stash list", gitRisks],
  ["git grep", ["-O", "--open-files-in-pager", ...gitRisks]],
  [
    "git branch --list",
    [
      ...["-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "-t", "--delete", "--move", "--copy"],
      ...["--force", "--track", "--set-upstream-to", "--unset-upstream", "--edit-description"],
      ...["--create-reflog", "--no-list"],
    ],
  ],
]);

const longestWords = 3;

/** The words of a command that can only look, whatever follows them; undefined for any other. */
export function findReaderWords(
  name: string,
  args: ShellPart["args"],
): readonly string[] | undefined {
  for (let count = 0; count < longestWords; count++) {
    const words = [name, ...args.slice(0, count)].filter((word) => word !== undefined);
    const risks = words.length === count + 1 ? readers.get(words.join(" ")) : undefined;
    if (risks !== undefined) {
      return args.slice(count).some((arg) => isRisk(arg, risks)) ? undefined : words;
    }
  }
  return undefined;
}

// A word that the shell computes may turn out to be any option.
function isRisk(word: string | undefined, risks: readonly string[]): boolean {
  if (word === undefined) return risks.length > 0;
  if (!/^-./.test(word) || word === "--") return false;
  const option = word.replace(/=.*$/s, "");
  return risks.some((risk) =>
    /^-.$/.test(risk) ? isInCluster(word, risk) : isSpellingOf(option, risk),
  );
}

function isInCluster(word: string, risk: string): boolean {
  return !word.startsWith("--") && word.includes(risk.charAt(1));
}

// GNU programs and git take any beginning of a long option; find has families, such as -fprintf.
function isSpellingOf(option: string, risk: string): boolean {
  return (option.length > 2 && risk.startsWith(option)) || option.startsWith(risk);
}
