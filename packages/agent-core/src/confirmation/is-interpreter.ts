import { programName } from "../shell/shell-part.js";

const interpreters = new Set([
  ...["node", "deno", "ruby", "perl", "php", "lua", "awk", "gawk", "mawk", "nawk", "tclsh", "java"],
  ...["osascript", "pwsh", "powershell", "cmd", "rscript", "jshell", "groovy", "tsx", "ts-node"],
]);

/** Whether a program runs a program that stands in its arguments or in a file. */
export function isInterpreter(program: string): boolean {
  const name = programName(program);
  return interpreters.has(name) || /^(python|pypy)/.test(name);
}
