// Finds the links, paths and commands in a Markdown document.

/** Lists the repository paths in backticks in a document. Patterns are left out. */
export function pathsIn(markdown: string): string[] {
  const ours = /^(?:packages|apps|docs|proto|tooling|tests|examples|\.ci|\.github)\/[\w./@-]*$/;
  return inlineCodeIn(markdown).filter((text) => ours.test(text));
}

/** Lists the npm and pnpm commands in a document's code. */
export function commandsIn(markdown: string): string[] {
  const fenced = [...markdown.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)].flatMap(
    ([, body = ""]) => body.split("\n").map((line) => line.replace(/(^|\s)#.*$/, "")),
  );
  return [...fenced, ...inlineCodeIn(markdown)].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s$(;&|])(p?npm [^;&|]+)/g)].map(([, command = ""]) => command.trim()),
  );
}

/**
 * Finds the package script that a command runs. Returns undefined for built-in commands of npm and pnpm.
 * Returns `npm VERB` for a command that npm does not have. No script has such a name, so the test of the
 * documents reports it as missing.
 */
export function findScript(command: string): string | undefined {
  const words = command
    .split(/\s+/)
    .filter((word, index, all) => !word.startsWith("-") && !isFilter(all[index - 1]));
  const [program, verb, name] = words;
  if (verb === "run" || verb === "run-script") return name;
  if (verb === undefined || BUILTIN_COMMANDS.has(verb)) return undefined;
  return program === "npm" && !["test", "start"].includes(verb) ? `npm ${verb}` : verb;
}

/** Finds paths of one person's machine, and words that mark unfinished text. */
export function faultsIn(markdown: string): string[] {
  const faults = [
    /(?<![\w.~/-])\/(?:home|root|Users|work|mnt|private)\/[\w./-]+/g,
    /\b[A-Z]:\\\w+/g,
    /\b(?:TODO|FIXME|XXX|TBD|WIP)\b|[Ll]orem ipsum|[Cc]oming soon/g,
  ];
  return faults.flatMap((fault) => [...markdown.matchAll(fault)].map(([text]) => text));
}

const BUILTIN_COMMANDS = new Set(
  "install i ci add remove update exec dlx create init pack publish link why list ls view audit config store import --version".split(
    " ",
  ),
);

function isFilter(word: string | undefined): boolean {
  return (
    word === "--filter" ||
    word === "-F" ||
    word === "-w" ||
    word === "--workspace" ||
    word === "--prefix"
  );
}

function inlineCodeIn(markdown: string): string[] {
  return [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^ *```[^\n]*\n[\s\S]*?^ *```/gm, "");
}
