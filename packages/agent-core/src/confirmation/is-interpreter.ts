import { programName } from "../shell/shell-part.js";

const INTERPRETERS = new Set([
  ...["node", "deno", "ruby", "perl", "php", "lua", "awk", "gawk", "mawk", "nawk", "tclsh", "java"],
  ...["osascript", "pwsh", "powershell", "cmd", "rscript", "jshell", "groovy", "tsx", "ts-node"],
]);

/** Returns true if a program runs code from its arguments or from a file. */
export function isInterpreter(program: string): boolean {
  const name = programName(program);
  return INTERPRETERS.has(name) || /^(python|pypy)/.test(name);
}
