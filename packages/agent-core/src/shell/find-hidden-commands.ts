import { affectsPrograms } from "./affects-programs.js";
import { COMPUTED_PART, programName, type ShellPart } from "./shell-part.js";
import { findWrapped } from "./wrappers.js";

/** A command that another command runs, as parsed words or as a script to be parsed. */
export type HiddenCommand = ShellPart | { readonly script: string };

type Words = readonly (string | undefined)[];

const SHELLS = new Set(["sh", "bash", "dash", "ash"]);

// These programs run a file, a script in another shell's language, the content of a variable, or a
// command in their own syntax.
const OPAQUE = new Set([
  ...[".", "source", "alias", "enable", "hash", "bind", "complete", "compgen", "fc", "let"],
  ...["zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox", "toybox", "su", "runuser", "pkexec"],
  ...["parallel", "watch", "script", "flock", "chroot", "unshare", "nsenter", "systemd-run"],
  ...["strace", "ltrace", "entr", "expect", "xvfb-run", "dbus-run-session", "caffeinate"],
]);

// The arguments of these programs are names of variables, and a subscript in such a name can run a command.
const EVALUATING = new Set([
  ...["declare", "typeset", "local", "readonly", "export", "unset", "read", "getopts"],
  ...["mapfile", "readarray"],
]);
const EVALUATING_WITH = new Map([
  ["printf", "-v"],
  ["test", "-v"],
  ["[", "-v"],
  ["wait", "-p"],
]);

/**
 * Returns the commands that a wrapper such as `env` runs, or {@link COMPUTED_PART} if these commands are
 * unknown. The list is empty for other programs.
 */
export function findHiddenCommands({ program, args }: ShellPart): readonly HiddenCommand[] {
  if (program === undefined) return [];
  const name = programName(program);
  if (SHELLS.has(name)) return [shellScript(args)];
  if (OPAQUE.has(name)) return [COMPUTED_PART];
  if (name === "eval") return evalScript(args);
  if (name === "trap") return trapAction(args);
  if (name === "find") return executedByFind(args);
  if (evaluates(name, args)) return [COMPUTED_PART];
  return findWrapped(name, args);
}

function shellScript(args: Words): HiddenCommand {
  let takesCommand = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) break;
    if (!/^[-+]./.test(word)) return takesCommand ? { script: word } : COMPUTED_PART;
    if (/^[-+][oO]$/.test(word)) index++;
    else if (/^-[celuvx]+$/.test(word)) takesCommand ||= word.includes("c");
    else if (!["--login", "--norc", "--noprofile", "--posix", "--"].includes(word)) break;
  }
  return COMPUTED_PART;
}

function evalScript(args: Words): readonly HiddenCommand[] {
  const literal = args.filter((word) => word !== undefined);
  if (literal.length < args.length) return [COMPUTED_PART];
  return [{ script: literal.join(" ") }];
}

function trapAction([action, ...signals]: Words): readonly HiddenCommand[] {
  if (signals.length === 0 || action === "" || action === "-") return [];
  return [action === undefined || action.startsWith("-") ? COMPUTED_PART : { script: action }];
}

function executedByFind(args: Words): readonly HiddenCommand[] {
  // An unquoted variable may expand to another -exec.
  if (args.includes(undefined)) return [COMPUTED_PART];
  const found: ShellPart[] = [];
  for (let index = 0; index < args.length; index++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[index] ?? "")) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word === ";" || word === "+");
    const words = rest
      .slice(0, end === -1 ? rest.length : end)
      .map((word) => (word?.includes("{}") ? undefined : word));
    found.push({ program: words[0], args: words.slice(1), writes: [] });
  }
  return found;
}

function evaluates(name: string, args: Words): boolean {
  const option = EVALUATING_WITH.get(name);
  const looksUpNames = EVALUATING.has(name) || args.some((arg) => arg === option && option);
  return (
    looksUpNames &&
    args.some((arg) => arg === undefined || /[[$`]/.test(arg) || assignsUnsafely(arg))
  );
}

function assignsUnsafely(word: string): boolean {
  return affectsPrograms(word.replace(/\+?=.*$/s, ""));
}
