import { expect, test } from "vitest";
import { type CliArgs, parseCliArgs, UsageError } from "./args.js";

const RUN: Extract<CliArgs, { type: "run" }> = {
  type: "run",
  hasColour: true,
  isDebug: false,
  record: undefined,
  prompt: undefined,
  output: "text",
  model: undefined,
  agent: undefined,
  mode: undefined,
  isTrusted: false,
  resume: undefined,
  endpoint: { opensAtStart: false, port: 0, host: "127.0.0.1", allowsPlainHttp: false },
};
const OPEN = { ...RUN.endpoint, opensAtStart: true };
const ATTACH = { type: "attach", hasColour: true, isDebug: false, record: undefined } as const;
const ACP = {
  type: "acp",
  isDebug: false,
  model: undefined,
  agent: undefined,
  mode: undefined,
  isTrusted: false,
  endpoint: RUN.endpoint,
  attach: undefined,
  isSetup: false,
} as const;

test("DT_AGENT names the agent, unless the command line has --model", () => {
  const environment = { DT_AGENT: "claude" };

  expect(parseCliArgs([], environment)).toMatchObject({ agent: "claude" });
  expect(parseCliArgs(["acp"], environment)).toMatchObject({ agent: "claude" });
  expect(parseCliArgs(["--agent", "codex"], environment)).toMatchObject({ agent: "codex" });
  expect(parseCliArgs(["--model", "offline"], environment)).toMatchObject({ agent: undefined });
  expect(() => parseCliArgs(["--agent", "codex", "--model", "x"])).toThrow(
    "use /model to choose the agent's model",
  );
});

test.each<[argv: readonly string[], args: CliArgs]>([
  [[], RUN],
  [["-p", "say hi"], { ...RUN, prompt: "say hi" }],
  [["-p", "x", "--output", "json"], { ...RUN, prompt: "x", output: "json" }],
  [["--model", "offline"], { ...RUN, model: "offline" }],
  [["--agent", "gemini"], { ...RUN, agent: "gemini" }],
  [["--yolo"], { ...RUN, mode: "yolo" }],
  [["--mode", "plan"], { ...RUN, mode: "plan" }],
  [["--yolo", "--mode", "yolo"], { ...RUN, mode: "yolo" }],
  [["--trust"], { ...RUN, isTrusted: true }],
  [["--resume"], { ...RUN, resume: { id: undefined } }],
  [["-r", "abcd"], { ...RUN, resume: { id: "abcd" } }],
  [["abcd", "--resume"], { ...RUN, resume: { id: "abcd" } }],
  [["--resume", "attach"], { ...RUN, resume: { id: "attach" } }],
  [["--a2a-port", "0"], { ...RUN, endpoint: OPEN }],
  [
    ["--a2a-port=65535", "--host", "::1"],
    { ...RUN, endpoint: { ...OPEN, port: 65_535, host: "::1" } },
  ],
  [["--share"], { ...RUN, endpoint: { ...OPEN, offer: "approve" } }],
  [
    ["--share", "--share-role", "observe", "--host", "0.0.0.0", "--insecure-http"],
    { ...RUN, endpoint: { ...OPEN, host: "0.0.0.0", allowsPlainHttp: true, offer: "observe" } },
  ],
  [["--record", "a.jsonl", "--debug"], { ...RUN, record: "a.jsonl", isDebug: true }],
  [["--no-color"], { ...RUN, hasColour: false }],
  [["--help", "--a2a-port", "x"], { type: "help" }],
  [["-h"], { type: "help" }],
  [["--version"], { type: "version" }],
  [["--list-sessions"], { type: "list-sessions" }],
  [["--delete-session", "abcd"], { type: "delete-session", id: "abcd" }],
  [["attach"], { ...ATTACH, url: undefined, taskId: undefined }],
  [["attach", "http://h:1"], { ...ATTACH, url: "http://h:1", taskId: undefined }],
  [["attach", "http://h:1", "t"], { ...ATTACH, url: "http://h:1", taskId: "t" }],
  [["acp"], { ...ACP }],
  [["acp", "--a2a-port", "0"], { ...ACP, endpoint: OPEN }],
  [["acp", "--setup"], { ...ACP, isSetup: true }],
  [["acp", "--agent", "gemini"], { ...ACP, agent: "gemini" }],
  [
    ["acp", "--attach", "http://h:1"],
    { ...ACP, attach: { url: "http://h:1", contextId: undefined } },
  ],
  [
    ["acp", "s", "--attach", "http://h:1"],
    { ...ACP, attach: { url: "http://h:1", contextId: "s" } },
  ],
  [["acp", "--trust", "--mode", "plan"], { ...ACP, isTrusted: true, mode: "plan" }],
])("the command line %j is parsed [CLI-01, CLI-03]", (argv, args) => {
  expect(parseCliArgs(argv)).toEqual(args);
});

test.each([
  [["--loud"], "Unknown option '--loud';"],
  [["--modl", "offline"], "Unknown option '--modl', did you mean --model?"],
  [["--yollo"], "Unknown option '--yollo', did you mean --yolo?"],
  [["-p"], "Option '-p, --prompt <value>' argument missing"],
  [["acp", "-p", "x"], "--prompt cannot be used with dt acp"],
  [["acp", "--attach", "h"], "h is not an address"],
  [["acp", "--attach", "http://h", "--yolo"], "--yolo cannot be used with dt acp --attach"],
  [["acp", "--attach", "http://h", "--agent", "x"], "--agent cannot be used with dt acp --attach"],
  [["--attach", "http://h"], "--attach can only be used with dt acp"],
  [["acp", "x"], "unexpected argument x"],
  [["say hi"], "say hi is not a command; give a prompt with -p"],
  [["--resume", "a", "b"], "b is not a command; give a prompt with -p"],
  [["--output", "xml"], "--output must be text or json, not xml"],
  [["--mode", "fast"], "--mode must be one of default, auto-edit, yolo, plan, not fast"],
  [["--yolo", "--mode", "plan"], "--yolo and --mode plan contradict each other"],
  [["--a2a-port", "65536"], "--a2a-port must be a number from 0 to 65535, not 65536"],
  [["--a2a-port", "-1"], "--a2a-port must be a number from 0 to 65535, not -1"],
  [["--a2a-port=-1"], "--a2a-port must be a number from 0 to 65535, not -1"],
  [["--a2a-port", "1e3"], "--a2a-port must be a number from 0 to 65535, not 1e3"],
  [["--a2a-port="], "--a2a-port must be a number from 0 to 65535, not "],
  [["--host", "0.0.0.0"], "--host needs --a2a-port or --share"],
  [["--share-role", "observe"], "--share-role needs --share"],
  [["--share", "--share-role", "owner"], "--share-role must be one of observe, prompt"],
  [["attach", "http://h", "--share"], "--share cannot be used with dt attach"],
  [["-p", " "], "--prompt needs a value"],
  [["--model="], "--model needs a value"],
  [["--record="], "--record needs a value"],
  [["attach", "localhost:1"], "localhost:1 is not an address such as http://127.0.0.1:41242"],
  [["attach", "http://h", "t", "u"], "unexpected argument u"],
  [["attach", "http://h", "--yolo"], "--yolo cannot be used with dt attach"],
  [["attach", "http://h", "--trust"], "--trust cannot be used with dt attach"],
])("the command line %j is refused with an error message of one line", (argv, message) => {
  expect(() => parseCliArgs(argv)).toThrow(UsageError);
  expect(() => parseCliArgs(argv)).toThrow(`${message}`);
  expect(() => parseCliArgs(argv)).toThrow(/^[^\n]*; see dt --help$/);
});

test.each([
  [{ DT_HOST: "::1" }, ["--a2a-port", "1"], { endpoint: { port: 1, host: "::1" } }],
  [
    { DT_HOST: "::1" },
    ["--a2a-port", "1", "--host", "localhost"],
    { endpoint: { port: 1, host: "localhost" } },
  ],
  [
    { DT_PUBLIC_URL: "https://dt.example", DT_TLS_CERT: "/cert", DT_TLS_KEY: "/key" },
    [],
    {
      endpoint: {
        publicUrl: "https://dt.example",
        tls: { certFile: "/cert", keyFile: "/key" },
      },
    },
  ],
  [{ NO_COLOR: "1" }, [], { hasColour: false }],
  [{ NO_COLOR: "" }, [], { hasColour: true }],
  [{ TERM: "dumb" }, [], { hasColour: false }],
])(
  "the environment %j and the command line %j result in %j [CLI-03]",
  (environment, argv, args) => {
    expect(parseCliArgs(argv, environment)).toMatchObject(args);
  },
);

test.each([
  [{ DT_PUBLIC_URL: "dt.example" }, "DT_PUBLIC_URL must be an address"],
  [{ DT_TLS_CERT: "/cert" }, "DT_TLS_CERT and DT_TLS_KEY must be set together"],
])("the environment %j is refused", (environment, message) => {
  expect(() => parseCliArgs([], environment)).toThrow(message);
});
