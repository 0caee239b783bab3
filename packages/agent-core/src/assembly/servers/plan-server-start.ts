import path from "node:path";
import { ToolError } from "../../errors/tool-error.js";
import {
  type AddressRules,
  checkServerUrl,
  McpAddressRefused,
} from "../../mcp/address/address-rules.js";
import type {
  HttpMcpServer,
  McpServerSettings,
  StdioMcpServer,
} from "../../settings/servers/mcp-server-settings.js";
import type { Plan } from "../../tools/tool.js";
import { describeIsolation, type Isolation } from "../../workspace/processes/sandbox.js";
import { describeEnvironment } from "./describe-environment.js";
import { hideQuery } from "./hide-query.js";
import { hasInvisible, quoteVisibly } from "./quote-visibly.js";

/** Options of {@link planServerStart}. */
export interface ServerQuestionOptions {
  readonly name: string;
  readonly server: McpServerSettings;
  readonly toolName: string;
  readonly workspaceRoot: string;
  readonly addressRules: AddressRules;
  /** Isolation of a program; undefined if it runs in no sandbox. */
  readonly isolation?: Isolation | undefined;
  /** Digest of the values that the question hides. */
  readonly digest: string;
}

/** Maximum number of characters that a person can be expected to read in one question. */
const MAX_SHOWN_LENGTH = 8_000;

/** Headers that change the target or the framing of a request. */
const ROUTING_HEADERS =
  /^(host|connection|content-length|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|forwarded|x-forwarded-.*)$/i;

/**
 * Plans the start of a client's server. The question shows the whole command line or URL, without values that may
 * be secret. Throws {@link ToolError} for a server that must not be started or cannot be shown.
 */
export function planServerStart(options: ServerQuestionOptions): Plan {
  const { server } = options;
  return "url" in server ? planAddress(server, options) : planProgram(server, options);
}

function planProgram(server: StdioMcpServer, options: ServerQuestionOptions): Plan {
  const { name, toolName, workspaceRoot, isolation } = options;
  const { command, args = [], cwd = "." } = server;
  if (hasInvisible(cwd)) {
    throw new ToolError(
      "unsafe_directory",
      `the MCP server ${name} cannot start in ${quoteVisibly(cwd)}, because the path contains invisible characters`,
    );
  }
  const words = [command, ...args].map(quoteVisibly);
  const line = [...describeEnvironment(name, server), ...words].join(" ");
  const workingDirectory = path.resolve(workspaceRoot, cwd);
  checkLength(name, line + workingDirectory);
  // The directory decides what a relative path means, so "always" applies only to this directory.
  const sandbox = isolation === undefined ? "" : `, ${describeIsolation(isolation)}`;
  const start = `${line} in ${quoteVisibly(workingDirectory)}${sandbox}`;
  const target = withDigest(start, Object.values(server.env ?? {}), options);
  return {
    description: `Start the MCP server ${name}: ${start}`,
    actions: [{ type: "other", name: `${toolName} ${target}`, target }],
    details: { $case: "executeDetails", value: { command: line, workingDirectory } },
    ...(isolation !== undefined && { note: `Runs ${describeIsolation(isolation)}.` }),
  };
}

function planAddress(server: HttpMcpServer, options: ServerQuestionOptions): Plan {
  const { name, toolName, addressRules } = options;
  const url = checkUrl(name, server.url, addressRules);
  const headers = Object.keys(server.headers ?? {});
  const routing = headers.find((header) => ROUTING_HEADERS.test(header));
  if (routing !== undefined) {
    throw new ToolError(
      "unsafe_header",
      `the MCP server ${name} is not allowed to set the header ${routing}, because it changes where requests go or how they are sent`,
    );
  }
  // Values of headers and of the query are not shown. Many of these values are secrets, and none of them can
  // run as code.
  const sent =
    headers.length === 0 ? "" : ` with the headers ${headers.map(quoteVisibly).join(", ")}`;
  const address = hideQuery(url);
  const line = `${address}${sent}`;
  checkLength(name, line);
  const description = `Connect to the MCP server ${name} at ${line}`;
  const hidden = [url.search, url.hash, ...Object.values(server.headers ?? {})];
  return {
    description,
    actions: [
      {
        type: "other",
        name: `${toolName} ${withDigest(line, hidden, options)}`,
        target: withDigest(address, hidden, options),
      },
    ],
    details: { $case: "genericDetails", value: { description } },
  };
}

/**
 * Adds the digest of the hidden values to a text that identifies a server. Without the digest, an answer about a
 * server would also apply to a server with other hidden values.
 */
function withDigest(
  text: string,
  hidden: readonly string[],
  { digest }: Pick<ServerQuestionOptions, "digest">,
): string {
  return hidden.some((value) => value !== "") ? `${text} (values ${digest})` : text;
}

function checkUrl(name: string, text: string, rules: AddressRules): URL {
  try {
    return checkServerUrl(text, rules);
  } catch (cause) {
    if (!(cause instanceof McpAddressRefused)) throw cause;
    throw new ToolError(
      "address_refused",
      `the MCP server ${name} cannot be used: ${cause.message}`,
    );
  }
}

function checkLength(name: string, shown: string): void {
  if (shown.length <= MAX_SHOWN_LENGTH) return;
  throw new ToolError(
    "too_long_to_show",
    `the MCP server ${name} cannot be started: the question about it needs ${shown.length} characters, but a question shows at most ${MAX_SHOWN_LENGTH}; shorten the command line or the URL`,
  );
}
