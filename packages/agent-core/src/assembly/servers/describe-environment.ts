import { isInterpreter } from "../../confirmation/is-interpreter.js";
import { ToolError } from "../../errors/tool-error.js";
import type { StdioMcpServer } from "../../settings/servers/mcp-server-settings.js";
import { affectsPrograms } from "../../shell/affects-programs.js";
import { quoteVisibly } from "./quote-visibly.js";

/** Matches names that end with a word for a secret. It does not match ASKPASS, whose value is a program. */
const SECRET_NAME =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTH|SIGNATURE|(^|_)(PASS|PWD|PAT|DSN|SESSION))$/i;

/** Matches characters of tokens. None of them separates words, starts a command or redirects in a shell. */
const OPAQUE = /^[\w.~+=:@%,-]+$/;
/**
 * Paths contain slashes too, so a token with slashes must have at least 20 characters, with upper case, lower
 * case and a digit.
 */
const OPAQUE_WITH_SLASHES = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])\w[\w.~+=:/-]{19,}$/;

/** Matches words without spaces, quotes, brackets and `$`, such as names, options, paths and addresses. */
const PLAIN_WORD = /^[\w@%+=:,./~?#-]*$/;
/** Like `PLAIN_WORD`, but with spaces and `&`. Used for programs that do not run their arguments as code. */
const PLAIN_TEXT = /^[\w@%+=:,./~?#& -]*$/;
const HEADER_WORD = /^(?:--?[\w-]+=)?[A-Za-z][\w-]*: ?(?:Bearer )?\$\{(\w+)\}$/;

const QUERY_OF_URL = /\b([a-z][a-z0-9+.-]{0,31}:\/\/[^\s?#]*)\?([^\s#]*)/gi;
const QUERY_VALUE = /(^|&)([\w.-]*)=[\w.~+=:@%,-]+/g;
const PASSWORD_IN_URL = /\b([a-z][a-z0-9+.-]{0,31}:\/\/[^/\s:@]*):([\w.~+=%-]+)@/gi;
const SHELLS = /^(ba|da|z|k|c|tc|fi)?sh(\.exe)?$/;

/**
 * Describes the environment of a program for a question. Values become `…`, because any of them may be secret.
 * A value that could run as code is never hidden, so that the person can read it. Throws {@link ToolError} if
 * such a value belongs to a variable with the name of a secret. Pure.
 */
export function describeEnvironment(name: string, server: StdioMcpServer): readonly string[] {
  return Object.entries(server.env ?? {}).map(([variable, value]) => {
    refuseUnsafeVariable(name, variable);
    return `${variable}=${describeValue(name, server, { variable, value })}`;
  });
}

interface Assignment {
  readonly variable: string;
  readonly value: string;
}

function describeValue(name: string, server: StdioMcpServer, assignment: Assignment): string {
  const { variable, value } = assignment;
  if (value === "") return "''";
  const isOpaque = OPAQUE.test(value) || OPAQUE_WITH_SLASHES.test(value);
  if (isOpaque && !canRunValue(variable, server)) return "…";
  if (SECRET_NAME.test(variable)) {
    throw new ToolError(
      "unsafe_environment",
      `the MCP server ${name} is not allowed to set ${variable}, because its name looks like a secret but its value could be run as code; set it in the settings of this machine instead`,
    );
  }
  // The rest of a URL is shown, because it says where the program connects to.
  return quoteVisibly(
    value.replace(PASSWORD_IN_URL, "$1:…@").replace(QUERY_OF_URL, hideQueryValues),
  );
}

function hideQueryValues(_url: string, address: string, query: string): string {
  return `${address}?${query.replace(QUERY_VALUE, "$1$2=…")}`;
}

/**
 * Returns true if an argument of the program may be code that runs the value of the variable. Such a value
 * must not be hidden.
 */
function canRunValue(variable: string, { command, args = [] }: StdioMcpServer): boolean {
  const words = [command, ...args];
  const hasInterpreter = words.some(
    (word) => isInterpreter(word) || SHELLS.test(word.split(/[\\/]/).at(-1)?.toLowerCase() ?? ""),
  );
  const isHarmless = (word: string) =>
    hasInterpreter
      ? PLAIN_WORD.test(word) && !word.includes(variable)
      : (PLAIN_TEXT.test(word) && !mentions(word, variable)) || isHeader(word, variable);
  return !words.every(isHarmless);
}

// Returns true if a word contains the name of a variable and other text. A word that is only the name, as in
// `docker run -e NAME`, passes the variable on without using its value.
function mentions(word: string, variable: string): boolean {
  return word !== variable && word.includes(variable);
}

/** Returns true if a word is a header with the value of a variable, such as `Authorization:${TOKEN}`. */
function isHeader(word: string, variable: string): boolean {
  const [, name] = HEADER_WORD.exec(word) ?? [];
  return name === variable;
}

// Refuses a variable that could change which code the approved command line runs.
function refuseUnsafeVariable(name: string, variable: string): void {
  if (!/^[A-Za-z_]\w*$/.test(variable)) {
    throw new ToolError(
      "unsafe_environment",
      `the MCP server ${name} is not allowed to set ${JSON.stringify(variable)}, because this is not a valid variable name`,
    );
  }
  if (affectsPrograms(variable)) {
    throw new ToolError(
      "unsafe_environment",
      `the MCP server ${name} is not allowed to set ${variable}, because this variable can change which code runs`,
    );
  }
}
