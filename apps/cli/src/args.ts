import { parseArgs } from "node:util";
import { findNearest, type PermissionMode, ROLES, type Role } from "@dt/schema";
import { DEVICE_ROLE } from "./endpoint/device-role.js";
import type { EndpointOptions } from "./endpoint/endpoint-options.js";
import { CLI_MODES, CLI_OPTIONS } from "./options.js";
import type { CliEnvironment } from "./variables.js";

/** A parsed command line. */
export type CliArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "list-sessions" }
  | { readonly type: "delete-session"; readonly id: string }
  | ({ readonly type: "run" } & RunArgs)
  | ({ readonly type: "attach" } & AttachArgs)
  | ({ readonly type: "acp" } & AcpArgs);

/** Arguments of both `dt` and `dt attach`. */
export interface ScreenArgs {
  readonly hasColour: boolean;
  readonly isDebug: boolean;
  /** File to which every event is written. */
  readonly record: string | undefined;
}

/** Arguments of a command that runs a session in this process. */
export interface RunArgs extends ScreenArgs {
  /** The prompt to run; undefined to read prompts from the screen or the standard input. */
  readonly prompt: string | undefined;
  readonly output: OutputFormat;
  /** Name of the model; undefined to use the model of the settings. */
  readonly model: string | undefined;
  /** Name or command line of an external agent; undefined to use dt's own agent. */
  readonly agent: string | undefined;
  /** Permission mode; undefined to use the mode of the settings. */
  readonly mode: PermissionMode | undefined;
  /** True to trust the workspace, in this run and in later runs. */
  readonly isTrusted: boolean;
  /**
   * Session to resume. Undefined to start a new session. `id` is the beginning of the session's id. If `id` is
   * undefined, the last session of the directory is resumed.
   */
  readonly resume: { readonly id: string | undefined } | undefined;
  /** Endpoint at which other clients can join the session. */
  readonly endpoint: EndpointOptions;
}

/** Arguments of `dt attach`. */
export interface AttachArgs extends ScreenArgs {
  /** Address of the agent; undefined to look for agents on this machine. */
  readonly url: string | undefined;
  /** Id of the task to join; undefined to join the session with the task that changed last. */
  readonly taskId: string | undefined;
}

/** Arguments of `dt acp`. */
export interface AcpArgs
  extends Pick<RunArgs, "isDebug" | "model" | "agent" | "mode" | "isTrusted" | "endpoint"> {
  /**
   * Address of an agent in another process, and its session if one is named. Undefined if the editor uses
   * sessions of this process.
   */
  readonly attach: { readonly url: string; readonly contextId: string | undefined } | undefined;
  /** True to choose a model and its key in a terminal, instead of serving an editor. */
  readonly isSetup: boolean;
}

/** Output of a run without a screen: the text of the agent, or every event as a line of JSON. */
export type OutputFormat = "text" | "json";

/** An invalid command line. The message is one line, and dt exits with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Options that `dt attach` refuses, because they apply only to an agent in this process. */
const NOT_FOR_ATTACH = [
  "prompt",
  "output",
  "model",
  "agent",
  "mode",
  "yolo",
  "trust",
  "a2a-port",
  "host",
  "share",
  "share-role",
  "insecure-http",
] as const satisfies readonly (keyof typeof CLI_OPTIONS)[];

/** Parses the command line; throws a {@link UsageError} if an argument is invalid. */
export function parseCliArgs(argv: readonly string[], environment: CliEnvironment = {}): CliArgs {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  if (values["list-sessions"] === true) return { type: "list-sessions" };
  const deleted = refuseBlank("--delete-session", values["delete-session"]);
  if (deleted !== undefined) return { type: "delete-session", id: deleted };
  const isColourless = values["no-color"] === true || Boolean(environment.NO_COLOR);
  const screen: ScreenArgs = {
    hasColour: !isColourless && environment.TERM !== "dumb",
    isDebug: values.debug === true,
    record: refuseBlank("--record", values.record),
  };
  const [word, ...rest] = positionals;
  if (word === "attach" && values.resume !== true) return parseAttach(rest, values, screen);
  if (word === "acp" && values.resume !== true)
    return parseAcp(rest, values, {
      ...screen,
      agent: parseAgent(values, environment),
      endpoint: parseEndpoint(values, environment),
    });
  if (values.attach !== undefined) throw fault("--attach can only be used with dt acp");
  if (values.setup === true) throw fault("--setup can only be used with dt acp");
  const id = parseResumeId(positionals, values.resume === true);
  return {
    type: "run",
    ...screen,
    prompt: refuseBlank("--prompt", values.prompt),
    output: parseOutput(values.output),
    model: refuseBlank("--model", values.model),
    agent: parseAgent(values, environment),
    mode: parseMode(values.mode, values.yolo === true),
    isTrusted: values.trust === true,
    resume: values.resume === true ? { id } : undefined,
    endpoint: parseEndpoint(values, environment),
  };
}

type Values = ReturnType<typeof parse>["values"];

function parse(argv: readonly string[]) {
  const port = argv[argv.indexOf("--a2a-port") + 1] ?? "";
  // A negative port is refused here, because `parseArgs` would mistake "-1" for an option.
  if (argv.includes("--a2a-port") && /^-\d/.test(port)) throw badPort(port);
  try {
    const options = CLI_OPTIONS;
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw fault(`${message.split(". ")[0]}${suggestOption(message)}`, cause);
  }
}

/**
 * Returns the external agent; undefined with `--model`, because that option chooses a model for dt's own
 * agent.
 */
function parseAgent(values: Values, environment: CliEnvironment): string | undefined {
  const named = refuseBlank("--agent", values.agent);
  if (named !== undefined && values.model !== undefined) {
    throw fault(
      "--model cannot be used with --agent, because it sets the model of dt's own agent; use /model to choose the agent's model",
    );
  }
  // The command line overrides the environment: with `--model`, `DT_AGENT` is ignored.
  return named ?? (values.model === undefined ? environment.DT_AGENT || undefined : undefined);
}

function suggestOption(message: string): string {
  const [, typed] = /^Unknown option '(--[^'=]+)/.exec(message) ?? [];
  const known = Object.keys(CLI_OPTIONS).map((name) => `--${name}`);
  const meant = typed === undefined ? undefined : findNearest(typed, known);
  return meant === undefined ? "" : `, did you mean ${meant}?`;
}

function parseAttach(
  words: readonly string[],
  values: Values,
  screen: ScreenArgs,
): { readonly type: "attach" } & AttachArgs {
  const [url, taskId, extra] = words;
  if (extra !== undefined) throw fault(`unexpected argument ${extra}`);
  if (url !== undefined) checkAddress(url);
  const refused = NOT_FOR_ATTACH.find((name) => values[name] !== undefined);
  if (refused !== undefined) throw fault(`--${refused} cannot be used with dt attach`);
  return { type: "attach", ...screen, url, taskId };
}

/** Options that `dt acp` refuses, because they apply only to a run in a terminal or a script. */
const NOT_FOR_ACP = [
  "prompt",
  "output",
  "record",
  "share",
  "share-role",
] as const satisfies readonly (keyof typeof CLI_OPTIONS)[];

/** Options that `dt acp --attach` refuses, because they apply only to an agent in this process. */
const NOT_FOR_ACP_ATTACH = [
  "model",
  "agent",
  "mode",
  "yolo",
  "trust",
  "a2a-port",
  "host",
  "share",
  "share-role",
  "insecure-http",
] as const satisfies readonly (keyof typeof CLI_OPTIONS)[];

function parseAcp(
  words: readonly string[],
  values: Values,
  { isDebug, agent, endpoint }: Pick<AcpArgs, "isDebug" | "agent" | "endpoint">,
): { readonly type: "acp" } & AcpArgs {
  const url = refuseBlank("--attach", values.attach);
  const [contextId, second] = words;
  const extra = url === undefined ? contextId : second;
  if (extra !== undefined) throw fault(`unexpected argument ${extra}`);
  if (url !== undefined) checkAddress(url);
  const refused = NOT_FOR_ACP.find((name) => values[name] !== undefined);
  if (refused !== undefined) throw fault(`--${refused} cannot be used with dt acp`);
  const local = NOT_FOR_ACP_ATTACH.find((name) => url && values[name] !== undefined);
  if (local !== undefined) throw fault(`--${local} cannot be used with dt acp --attach`);
  return {
    type: "acp",
    isDebug,
    endpoint,
    attach: url === undefined ? undefined : { url, contextId },
    isSetup: values.setup === true,
    agent,
    model: refuseBlank("--model", values.model),
    mode: parseMode(values.mode, values.yolo === true),
    isTrusted: values.trust === true,
  };
}

function checkAddress(url: string): void {
  if (/^https?:$/.test(protocolOf(url))) return;
  throw fault(`${url} is not an address such as http://127.0.0.1:41242`);
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return "";
  }
}

function parseResumeId(positionals: readonly string[], isResumed: boolean): string | undefined {
  const [id, second] = positionals;
  const extra = isResumed ? second : id;
  if (extra !== undefined) {
    throw fault(`${extra} is not a command; give a prompt with -p`);
  }
  return id;
}

function parseOutput(value: string | undefined): OutputFormat {
  if (value === undefined || value === "text" || value === "json") return value ?? "text";
  throw fault(`--output must be text or json, not ${value}`);
}

function parseMode(value: string | undefined, isYolo: boolean): PermissionMode | undefined {
  if (value === undefined) return isYolo ? "yolo" : undefined;
  const mode = CLI_MODES.find((each) => each === value);
  if (mode === undefined)
    throw fault(`--mode must be one of ${CLI_MODES.join(", ")}, not ${value}`);
  if (isYolo && mode !== "yolo")
    throw fault(`--yolo and --mode ${mode} contradict each other; use one of them`);
  return mode;
}

function parseEndpoint(values: Values, environment: CliEnvironment): EndpointOptions {
  const { DT_HOST, DT_PUBLIC_URL, DT_TLS_CERT, DT_TLS_KEY } = environment;
  const text = values["a2a-port"];
  const opensAtStart = text !== undefined || values.share === true;
  if (!opensAtStart && values.host !== undefined) throw fault("--host needs --a2a-port or --share");
  const port = /^\d{1,5}$/.test(text ?? "0") ? Number(text ?? "0") : Number.NaN;
  if (!(port <= 65_535)) throw badPort(text ?? "");
  if (!DT_TLS_CERT !== !DT_TLS_KEY) throw fault("DT_TLS_CERT and DT_TLS_KEY must be set together");
  const offer = parseOffer(values);
  return {
    opensAtStart,
    port,
    host: refuseBlank("--host", values.host) ?? (DT_HOST || "127.0.0.1"),
    allowsPlainHttp: values["insecure-http"] === true,
    ...(DT_PUBLIC_URL && { publicUrl: parsePublicUrl(DT_PUBLIC_URL) }),
    ...(DT_TLS_CERT && DT_TLS_KEY && { tls: { certFile: DT_TLS_CERT, keyFile: DT_TLS_KEY } }),
    ...(offer !== undefined && { offer }),
  };
}

function parseOffer(values: Values): Role | undefined {
  const text = values["share-role"];
  if (values.share !== true) {
    if (text !== undefined) throw fault("--share-role needs --share");
    return undefined;
  }
  const role = text === undefined ? DEVICE_ROLE : ROLES.find((each) => each === text);
  if (role !== undefined) return role;
  throw fault(`--share-role must be one of ${ROLES.join(", ")}, not ${text}`);
}

function parsePublicUrl(text: string): string {
  if (/^https?:$/.test(protocolOf(text))) return text;
  throw fault(`DT_PUBLIC_URL must be an address such as https://dt.example/, not ${text}`);
}

function badPort(text: string): UsageError {
  return fault(`--a2a-port must be a number from 0 to 65535, not ${text}`);
}

function refuseBlank(flag: string, value: string | undefined): string | undefined {
  if (value?.trim() === "") throw fault(`${flag} needs a value`);
  return value;
}

function fault(message: string, cause?: unknown): UsageError {
  const [line = ""] = message.split("\n", 1);
  return new UsageError(`${line}; see dt --help`, cause === undefined ? {} : { cause });
}
