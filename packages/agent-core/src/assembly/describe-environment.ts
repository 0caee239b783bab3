import { isInterpreter } from "../confirmation/is-interpreter.js";
import { ToolError } from "../errors/tool-error.js";
import type { StdioMcpServer } from "../settings/servers/mcp-server-settings.js";
import { affectsPrograms } from "../shell/affects-programs.js";
import { showWord } from "./quote-visibly.js";

/** Names whose last word says that the value is a secret. ASKPASS names a program and is not one. */
const namedSecret =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTH|SIGNATURE|(^|_)(PASS|PWD|PAT|DSN|SESSION))$/i;
const mentionsSecret = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE/i;

/** Characters of tokens. None of them separates words, expands or redirects in any shell. */
const opaque = /^[\w.~+=:@%,-]+$/;
/** Base64 may hold slashes, and so may a path: only what mixes cases and digits is taken for a token. */
const opaqueWithSlashes = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])\w[\w.~+=:/-]{19,}$/;
const random = /^(?=.*\d)(?=.*[a-z])[\w.~+=-]{16,}$/i;

/** Words that no shell or interpreter reads as more than a name, a path or an address. */
const plainWord = /^[\w@%+=:,./~?#-]*$/;
const plainText = /^[\w@%+=:,./~?#& -]*$/;
const headerWord = /^(?:--?[\w-]+=)?[A-Za-z][\w-]*: ?(?:Bearer )?\$\{(\w+)\}$/;

const passwordInAddress = /\b([a-z][a-z0-9+.-]{0,31}:\/\/[^/\s:@]*):([\w.~+=%-]+)@/gi;
const shells = /^(ba|da|z|k|c|tc|fi)?sh(\.exe)?$/;

/**
 * The assignments of a program's environment as a question shows them. A secret is replaced by `…`
 * only if it cannot be a command, a path or code; throws {@link ToolError} if it could be. Pure.
 */
export function shownEnvironment(name: string, server: StdioMcpServer): readonly string[] {
  return Object.entries(server.env ?? {}).map(([variable, value]) => {
    refuseSteering(name, variable);
    return `${variable}=${shownValue(name, server, { variable, value })}`;
  });
}

interface Assignment {
  readonly variable: string;
  readonly value: string;
}

function shownValue(name: string, server: StdioMcpServer, assignment: Assignment): string {
  const { variable, value } = assignment;
  if (value === "") return "''";
  if (namedSecret.test(variable)) {
    const isOpaque = opaque.test(value) || opaqueWithSlashes.test(value);
    if (isOpaque && !isRead(variable, server)) return "…";
    throw new ToolError(
      "unsafe_environment",
      `the MCP server ${name} may not set ${variable}: its name says that it is a secret, but its value could be run; set it in the settings of this machine instead`,
    );
  }
  if (mentionsSecret.test(variable) && random.test(value) && !isRead(variable, server)) return "…";
  // The rest of an address says what is connected to.
  return showWord(value.replace(passwordInAddress, "$1:…@"));
}

// Code among the words of a program can run the value of a variable: one that it names, or any. So a
// value is hidden only if no word can be code.
function isRead(variable: string, { command, args = [] }: StdioMcpServer): boolean {
  const words = [command, ...args];
  const runsCode = words.some(
    (word) => isInterpreter(word) || shells.test(word.split(/[\\/]/).at(-1)?.toLowerCase() ?? ""),
  );
  const isHarmless = (word: string) =>
    runsCode
      ? plainWord.test(word) && !word.includes(variable)
      : (plainText.test(word) && !mentions(word, variable)) || isHeader(word, variable);
  return !words.every(isHarmless);
}

// As in `docker run -e NAME`, a name alone is passed on and not read.
function mentions(word: string, variable: string): boolean {
  return word !== variable && word.includes(variable);
}

/** Whether a word is a header with the value of a variable, which a program such as mcp-remote fills in. */
function isHeader(word: string, variable: string): boolean {
  const [, name] = headerWord.exec(word) ?? [];
  return name === variable;
}

// With such a variable the command line that someone approves would not be what runs.
function refuseSteering(name: string, variable: string): void {
  if (!/^[A-Za-z_]\w*$/.test(variable)) {
    throw new ToolError(
      "unsafe_environment",
      `the MCP server ${name} may not set ${JSON.stringify(variable)}: this is no name of a variable`,
    );
  }
  if (affectsPrograms(variable)) {
    throw new ToolError(
      "unsafe_environment",
      `the MCP server ${name} may not set ${variable}: this variable can change which code runs`,
    );
  }
}
