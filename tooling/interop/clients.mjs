// Lists the third-party clients and the scenarios that each client cannot run.

/** The scenarios, in the order of the table's columns. */
export const SCENARIO_NAMES = [
  "text",
  "stream",
  "question",
  "approve",
  "refuse",
  "edit",
  "cancel",
  "resubscribe",
  "lists",
  "push",
];

const SDK = "@a2a-js/sdk";
const SDK_IMPORTS = { sdk: SDK, client: `${SDK}/client` };
const GRPC_PACKAGES = { "@grpc/grpc-js": "1", "@bufbuild/protobuf": "2" };

const NO_SETTINGS =
  "An edit needs the development-tool extension, whose settings this client cannot send.";
const CALLBACKS_ONLY =
  "It can send an edit only from callbacks that rewrite A2A messages. This run has no such callback.";
const NO_CONTEXT =
  "It names neither a task nor a context, so its next message starts a new session.";
const NO_CALL = "It has no call for this.";

/** The scenarios that a framework cannot run if it only sends and reads text, each with the reason. */
const FRAMEWORK_LACKS = {
  edit: NO_SETTINGS,
  cancel: NO_CALL,
  resubscribe: NO_CALL,
  lists: NO_CALL,
  push: NO_CALL,
};

/**
 * A third-party client. The table has one row for each of its bindings.
 *
 * @typedef {object} Client
 * @property {string} name
 * @property {string} folder name of its folder in the scratch folder
 * @property {string} adapter file in `adapters/` that drives the client
 * @property {Record<string, string>} packages packages to install; the first one is the client itself
 * @property {Record<string, string>} imports modules that the adapter needs, by the name that the adapter uses
 * @property {readonly string[]} bindings
 * @property {string} [protocol] A2A version, if the client can speak several
 * @property {Record<string, string>} [lacks] scenarios that the client cannot run, with the reason
 * @property {Record<string, string>} [partly] scenarios that the client can run only in part, with the missing part
 */

/** @type {readonly Client[]} */
export const CLIENTS = [
  ...["1.3", "1.0"].map((version) => ({
    name: SDK,
    folder: `sdk-${version}`,
    adapter: "sdk-1",
    packages: { [SDK]: `~${version}.0`, ...GRPC_PACKAGES },
    imports: { ...SDK_IMPORTS, grpc: `${SDK}/client/grpc` },
    bindings: ["JSON-RPC", "REST", "gRPC"],
  })),
  {
    name: SDK,
    folder: "sdk-0.3",
    adapter: "sdk-0",
    packages: { [SDK]: "~0.3.0", ...GRPC_PACKAGES },
    imports: { ...SDK_IMPORTS, grpc: `${SDK}/client/grpc` },
    bindings: ["JSON-RPC", "REST", "gRPC"],
    lacks: { lists: NO_CALL },
  },
  {
    name: SDK,
    folder: "sdk-0.2",
    adapter: "sdk-0",
    packages: { [SDK]: "~0.2.0" },
    imports: SDK_IMPORTS,
    bindings: ["JSON-RPC"],
    lacks: { lists: NO_CALL },
    partly: { push: "It can set and get a config, and has no calls to list and delete configs." },
  },
  {
    name: "AI SDK (a2a-ai-provider)",
    folder: "ai-sdk",
    adapter: "ai-sdk",
    packages: { "a2a-ai-provider": "0.5.0-alpha.1", ai: "6" },
    imports: { ai: "ai", provider: "a2a-ai-provider" },
    bindings: ["JSON-RPC"],
    lacks: FRAMEWORK_LACKS,
  },
  {
    name: "Google ADK (@google/adk)",
    folder: "adk",
    adapter: "adk",
    packages: { "@google/adk": "2" },
    imports: { adk: "@google/adk" },
    bindings: ["JSON-RPC"],
    lacks: { ...FRAMEWORK_LACKS, edit: CALLBACKS_ONLY },
  },
  ...["0.3", "1.0"].map((protocol) => ({
    name: `Mastra (@mastra/core), A2A ${protocol}`,
    folder: "mastra",
    adapter: "mastra",
    packages: { "@mastra/core": "1", zod: "4" },
    imports: { a2a: "@mastra/core/a2a" },
    bindings: ["JSON-RPC"],
    protocol,
    lacks: {
      ...FRAMEWORK_LACKS,
      resubscribe: "It subscribes again only after a stream was cut. This run cuts no stream.",
    },
  })),
  {
    name: "Strands (@strands-agents/sdk)",
    folder: "strands",
    adapter: "strands",
    packages: { "@strands-agents/sdk": "1", [SDK]: "~0.3.0" },
    imports: { a2a: "@strands-agents/sdk/a2a" },
    bindings: ["JSON-RPC"],
    lacks: {
      ...FRAMEWORK_LACKS,
      approve: NO_CONTEXT,
      refuse: NO_CONTEXT,
    },
  },
];
