import { parseArgs } from "node:util";
import type { PermissionMode } from "@dt/schema";
import { findNearest } from "@dt/schema";

/** What the command line asks for. */
export type CliArgs =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "list-sessions" }
  | { readonly type: "delete-session"; readonly id: string }
  | ({ readonly type: "run" } & RunArgs)
  | ({ readonly type: "attach" } & AttachArgs);

/** How the screen is drawn and what is written beside it. */
export interface ScreenArgs {
  readonly hasColour: boolean;
  readonly isDebug: boolean;
  /** The file that every event is written to. */
  readonly record: string | undefined;
}

/** How to run a session here. */
export interface RunArgs extends ScreenArgs {
  /** The one prompt to run; undefined: those that come in. */
  readonly prompt: string | undefined;
  readonly output: OutputFormat;
  /** The model's name; undefined: what the environment says. */
  readonly model: string | undefined;
  /** How freely it may act; undefined: what the settings say. */
  readonly mode: PermissionMode | undefined;
  /** Whether the person trusts the workspace from now on. */
  readonly isTrusted: boolean;
  /** Set where an earlier session goes on: the one with this id, or the last one. */
  readonly resume: { readonly id: string | undefined } | undefined;
  /** Set where others may join. */
  readonly endpoint: { readonly port: number; readonly host: string } | undefined;
}

/** How to watch someone else's session. */
export interface AttachArgs extends ScreenArgs {
  readonly url: string;
  /** The task to join; undefined: the one that the agent shares with everyone. */
  readonly taskId: string | undefined;
}

/** What a run without a screen writes: what the agent says, or every event as a line of JSON. */
export type OutputFormat = "text" | "json";

/** A command line that cannot be understood: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const modes: readonly PermissionMode[] = ["default", "auto-edit", "yolo", "plan"];

const options = {
  prompt: { type: "string", short: "p" },
  output: { type: "string" },
  model: { type: "string" },
  mode: { type: "string" },
  yolo: { type: "boolean" },
  trust: { type: "boolean" },
  resume: { type: "boolean", short: "r" },
  "list-sessions": { type: "boolean" },
  "delete-session": { type: "string" },
  "a2a-port": { type: "string" },
  host: { type: "string" },
  record: { type: "string" },
  debug: { type: "boolean" },
  "no-color": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** What of the environment decides what the command line leaves open. */
export interface ArgsEnvironment {
  readonly DT_HOST?: string | undefined;
  readonly NO_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/** Reads the command line. Throws a {@link UsageError} of one line. */
export function parseCliArgs(argv: readonly string[], environment: ArgsEnvironment = {}): CliArgs {
  const { values, positionals } = parse(argv);
  if (values.help === true) return { type: "help" };
  if (values.version === true) return { type: "version" };
  if (values["list-sessions"] === true) return { type: "list-sessions" };
  const deleted = nonEmpty("--delete-session", values["delete-session"]);
  if (deleted !== undefined) return { type: "delete-session", id: deleted };
  const isColourless = values["no-color"] === true || Boolean(environment.NO_COLOR);
  const screen: ScreenArgs = {
    hasColour: !isColourless && environment.TERM !== "dumb",
    isDebug: values.debug === true,
    record: nonEmpty("--record", values.record),
  };
  const [word, ...rest] = positionals;
  if (word === "attach" && values.resume !== true) return parseAttach(rest, values, screen);
  const id = parseResumeId(positionals, values.resume === true);
  return {
    type: "run",
    ...screen,
    prompt: nonEmpty("--prompt", values.prompt),
    output: parseOutput(values.output),
    model: nonEmpty("--model", values.model),
    mode: parseMode(values.mode, values.yolo === true),
    isTrusted: values.trust === true,
    resume: values.resume === true ? { id } : undefined,
    endpoint: parseEndpoint(values, environment),
  };
}

type Values = ReturnType<typeof parse>["values"];

function parse(argv: readonly string[]) {
  const port = argv[argv.indexOf("--a2a-port") + 1] ?? "";
  // Taken for a flag else.
  if (argv.includes("--a2a-port") && /^-\d/.test(port)) throw badPort(port);
  try {
    return parseArgs({ args: [...argv], strict: true, allowPositionals: true, options });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw fault(`${message.split(". ")[0]}${suggestOption(message)}`, cause);
  }
}

function suggestOption(message: string): string {
  const [, typed] = /^Unknown option '(--[^'=]+)/.exec(message) ?? [];
  const known = Object.keys(options).map((name) => `--${name}`);
  const meant = typed === undefined ? undefined : findNearest(typed, known);
  return meant === undefined ? "" : `, did you mean ${meant}?`;
}

function parseAttach(
  words: readonly string[],
  values: Values,
  screen: ScreenArgs,
): { readonly type: "attach" } & AttachArgs {
  const [url, taskId, surplus] = words;
  if (url === undefined) throw fault("dt attach needs the address of an agent");
  if (surplus !== undefined) throw fault(`${surplus} is more than dt attach takes`);
  if (!/^https?:$/.test(protocolOf(url))) {
    throw fault(`${url} is not an address such as http://127.0.0.1:41242`);
  }
  const stray = (
    ["prompt", "output", "model", "mode", "yolo", "trust", "a2a-port", "host"] as const
  ).find((name) => values[name] !== undefined);
  if (stray !== undefined) throw fault(`--${stray} does not go with dt attach`);
  return { type: "attach", ...screen, url, taskId };
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return "";
  }
}

function parseResumeId(positionals: readonly string[], isResumed: boolean): string | undefined {
  const [id, surplus] = positionals;
  const stray = isResumed ? surplus : id;
  if (stray !== undefined) {
    throw fault(`${stray} is not a command; a prompt goes behind -p`);
  }
  return id;
}

function parseOutput(value: string | undefined): OutputFormat {
  if (value === undefined || value === "text" || value === "json") return value ?? "text";
  throw fault(`--output is text or json, not ${value}`);
}

function parseMode(value: string | undefined, isYolo: boolean): PermissionMode | undefined {
  if (value === undefined) return isYolo ? "yolo" : undefined;
  const mode = modes.find((each) => each === value);
  if (mode === undefined) throw fault(`--mode is one of ${modes.join(", ")}, not ${value}`);
  if (isYolo && mode !== "yolo") throw fault(`--yolo and --mode ${mode} contradict each other`);
  return mode;
}

function parseEndpoint(values: Values, { DT_HOST }: ArgsEnvironment): RunArgs["endpoint"] {
  const text = values["a2a-port"];
  if (text === undefined) {
    if (values.host === undefined) return undefined;
    throw fault("--host needs --a2a-port");
  }
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw badPort(text);
  return { port, host: nonEmpty("--host", values.host) ?? (DT_HOST || "127.0.0.1") };
}

function badPort(text: string): UsageError {
  return fault(`--a2a-port is a number from 0 to 65535, not ${text}`);
}

function nonEmpty(flag: string, value: string | undefined): string | undefined {
  if (value?.trim() === "") throw fault(`${flag} needs a value`);
  return value;
}

function fault(message: string, cause?: unknown): UsageError {
  const [line = ""] = message.split("\n", 1);
  return new UsageError(`${line}; see dt --help`, cause === undefined ? {} : { cause });
}
