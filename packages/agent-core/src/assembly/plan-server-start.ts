import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import {
  type AddressRules,
  checkServerUrl,
  McpAddressRefused,
} from "../mcp/address/address-rules.js";
import type {
  HttpMcpServer,
  McpServerSettings,
  StdioMcpServer,
} from "../settings/servers/mcp-server-settings.js";
import type { Plan } from "../tools/tool.js";
import { hasUnseen, showWord } from "./quote-visibly.js";
import { shownEnvironment } from "./describe-environment.js";

/** What a question about a client's server is built from. */
export interface ServerQuestionOptions {
  readonly name: string;
  readonly server: McpServerSettings;
  readonly toolName: string;
  readonly workspaceRoot: string;
  readonly addressRules: AddressRules;
}

/** The longest text that a person can be expected to read before they allow it. */
const LONGEST_SHOWN = 8_000;

/** Headers that decide where a request ends up, or how it is framed. */
const routingHeaders =
  /^(host|connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|forwarded|x-forwarded-.*)$/i;

/**
 * Plans the start of a server that a client named: everything that will be run or connected to is
 * shown whole. Throws {@link ToolError} for a server that may not be started, or cannot be shown.
 */
export function planServerStart(options: ServerQuestionOptions): Plan {
  const { server } = options;
  return "url" in server ? planAddress(server, options) : planProgram(server, options);
}

function planProgram(server: StdioMcpServer, options: ServerQuestionOptions): Plan {
  const { name, toolName, workspaceRoot } = options;
  const { command, args = [], cwd = "." } = server;
  if (hasUnseen(cwd)) {
    throw new ToolError(
      "unsafe_directory",
      `the MCP server ${name} may not start in ${showWord(cwd)}: the path holds characters that cannot be seen`,
    );
  }
  const words = [command, ...args].map(showWord);
  const line = [...shownEnvironment(name, server), ...words].join(" ");
  const workingDirectory = path.resolve(workspaceRoot, cwd);
  checkLength(name, line + workingDirectory);
  // The directory decides which program a relative word means, so an "always" is for it alone.
  const start = `${line} in ${showWord(workingDirectory)}`;
  return {
    description: `Start the MCP server ${name}: ${start}`,
    actions: [{ type: "other", name: `${toolName} ${start}`, target: start }],
    details: { $case: "executeDetails", value: { command: line, workingDirectory } },
  };
}

function planAddress(server: HttpMcpServer, options: ServerQuestionOptions): Plan {
  const { name, toolName, addressRules } = options;
  const { href } = checkUrl(name, server.url, addressRules);
  const headers = Object.keys(server.headers ?? {});
  const routing = headers.find((header) => routingHeaders.test(header));
  if (routing !== undefined) {
    throw new ToolError(
      "unsafe_header",
      `the MCP server ${name} may not set the header ${routing}: it changes where requests go`,
    );
  }
  // Values of headers are neither run nor connected to, and most of them are secrets.
  const sent = headers.length === 0 ? "" : ` with the headers ${headers.map(showWord).join(", ")}`;
  const line = `${href}${sent}`;
  checkLength(name, line);
  const description = `Connect to the MCP server ${name} at ${line}`;
  return {
    description,
    actions: [{ type: "other", name: `${toolName} ${line}`, target: href }],
    details: { $case: "genericDetails", value: { description } },
  };
}

function checkUrl(name: string, text: string, rules: AddressRules): URL {
  try {
    return checkServerUrl(text, rules);
  } catch (cause) {
    if (!(cause instanceof McpAddressRefused)) throw cause;
    throw new ToolError(
      "address_refused",
      `the MCP server ${name} may not be used: ${cause.message}`,
    );
  }
}

function checkLength(name: string, shown: string): void {
  if (shown.length <= LONGEST_SHOWN) return;
  throw new ToolError(
    "too_long_to_show",
    `the MCP server ${name} may not be started: its command line or address has ${shown.length} characters, and a question shows at most ${LONGEST_SHOWN}`,
  );
}
