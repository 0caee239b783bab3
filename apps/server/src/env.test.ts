import { SERVER_DEFAULTS } from "@dt/server";
import { expect, test } from "vitest";
import { parseServerArgs } from "./args.js";
import { parseEnv } from "./env.js";

/** The default push options. */
const PUSH_DEFAULTS = {
  timeoutMs: SERVER_DEFAULTS.pushTimeoutMs,
  retry: { maxFailures: SERVER_DEFAULTS.pushMaxFailures },
};

/** The default limits that variables can change, except the time to live, whose variable has no default. */
const {
  maxWaitMs: _maxWaitMs,
  maxPushConfigsPerTask: _maxPushConfigsPerTask,
  maxUnfinishedBytes: _maxUnfinishedBytes,
  sessionTtlMs: _sessionTtlMs,
  ...LIMIT_DEFAULTS
} = SERVER_DEFAULTS.limits;

const read = (variables: Record<string, string>) =>
  parseEnv({ variables, home: "/home/ada", startDirectory: "/work" });

test("without variables every value has its default [SRV-15]", () => {
  expect(read({})).toEqual({
    host: "127.0.0.1",
    home: "/home/ada",
    port: 41_242,
    grpcPort: undefined,
    dataDir: "/home/ada/.local/share/dt",
    databaseFile: "/home/ada/.local/share/dt/dt-server.db",
    leaseMs: 15_000,
    instanceFile: "/home/ada/.local/share/dt/instance",
    isAuthRequired: false,
    publicUrl: undefined,
    allowedHosts: [],
    jwt: undefined,
    tls: undefined,
    trustsProxy: false,
    workspaceRoots: ["/work", "/home/ada"],
    defaultWorkspace: "/work",
    isExtensionRequired: false,
    allowedOrigins: [],
    logLevel: "warn",
    limits: LIMIT_DEFAULTS,
    maxBodyBytes: SERVER_DEFAULTS.maxBodyBytes,
    push: PUSH_DEFAULTS,
    mcpAllowList: { hasHost: expect.any(Function), hasAddress: expect.any(Function) },
    shutdownGraceMs: 10_000,
    warnings: [],
    variables: {},
  });
});

test.each([
  { DT_AUTH: "required" },
  { DT_PUBLIC_URL: "https://dt.example/" },
  { DT_ALLOWED_HOSTS: "dt.example" },
  { DT_HOST: "0.0.0.0" },
])(
  "the home of the operator is not a default workspace root for a team: %j [SEC-03]",
  (variables) => {
    expect(read(variables).workspaceRoots).toEqual(["/work"]);
  },
);

test("DT_STORE names a Postgres database, DT_LEASE_SECONDS its lease, and DT_POOL the pool", () => {
  const env = read({ DT_STORE: "postgres://ada:pw@db/dt", DT_LEASE_SECONDS: "3", DT_POOL: "nfs" });

  expect(env).toMatchObject({
    storeUrl: "postgres://ada:pw@db/dt",
    leaseMs: 3_000,
    pool: "nfs",
  });
});

test("DT_GRPC_PORT sets the port of gRPC and may be 0", () => {
  expect(read({ DT_GRPC_PORT: "41243" }).grpcPort).toBe(41_243);
  expect(read({ DT_GRPC_PORT: "0" }).grpcPort).toBe(0);
  expect(() => read({ DT_GRPC_PORT: "on" })).toThrow(
    "DT_GRPC_PORT: expected a whole number from 0 to 65535, got on",
  );
});

test("the variables for authentication, host names and TLS are read [SRV-18]", () => {
  const env = read({
    DT_AUTH: "required",
    DT_PUBLIC_URL: "https://dt.example/agent",
    DT_ALLOWED_HOSTS: "DT.internal, 10.0.0.7",
    DT_TLS_CERT: "/etc/dt/cert.pem",
    DT_TLS_KEY: "/etc/dt/key.pem",
    DT_TRUST_PROXY: "true",
  });

  expect(env).toMatchObject({
    isAuthRequired: true,
    publicUrl: "https://dt.example/agent",
    allowedHosts: ["dt.internal", "10.0.0.7"],
    tls: { certFile: "/etc/dt/cert.pem", keyFile: "/etc/dt/key.pem" },
    trustsProxy: true,
  });
});

test("the variables of an identity provider are read, and must be set together [SRV-18]", () => {
  const provider = {
    DT_JWT_JWKS_URL: "https://id.example/keys",
    DT_JWT_ISSUER: "https://id.example",
    DT_JWT_AUDIENCE: "dt",
  };

  expect(
    read({
      ...provider,
      DT_JWT_ALGORITHMS: "RS256, ES256,EdDSA",
      DT_JWT_ROLES: "leads=admin, all=prompt",
      DT_JWT_HEADER: "X-JWT",
    }).jwt,
  ).toEqual({
    jwksUrl: "https://id.example/keys",
    issuer: "https://id.example",
    audience: "dt",
    algorithms: ["RS256", "ES256", "EdDSA"],
    header: "X-JWT",
    roleClaim: "dt_role",
    roles: { leads: "admin", all: "prompt" },
    tierClaim: "dt_tier",
  });
  expect(() => read({ DT_JWT_ISSUER: "https://id.example" })).toThrow("set all of them, or none");
  expect(() => read({ ...provider, DT_JWT_ROLES: "leads=root" })).toThrow(
    "DT_JWT_ROLES: expected pairs such as leads=admin",
  );
  for (const wrong of ["none", "HS256", "RS265"]) {
    expect(() => read({ ...provider, DT_JWT_ALGORITHMS: `RS256, ${wrong}` })).toThrow(
      `DT_JWT_ALGORITHMS: expected names of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519, got ${wrong}`,
    );
  }
});

test.each([
  [{ DT_AUTH: "yes" }, "DT_AUTH: expected one of local, required, got yes"],
  [
    { DT_PUBLIC_URL: "dt.example" },
    "DT_PUBLIC_URL: expected an address such as https://dt.example/",
  ],
  [{ DT_PUBLIC_URL: "https://dt.example/?x" }, "DT_PUBLIC_URL: expected an address"],
  [
    { DT_ALLOWED_HOSTS: "https://dt.example" },
    "DT_ALLOWED_HOSTS: expected host names such as dt.example",
  ],
  [{ DT_ALLOWED_HOSTS: "*" }, "DT_ALLOWED_HOSTS: expected host names"],
  [{ DT_TLS_CERT: "/c" }, "DT_TLS_KEY: required, because DT_TLS_CERT is set"],
  [{ DT_TLS_KEY: "/k" }, "DT_TLS_CERT: required, because DT_TLS_KEY is set"],
])("the variables %j are refused", (variables, problem) => {
  expect(() => read(variables as Record<string, string>)).toThrow(problem);
});

test("allowed origins of web pages are separated by commas [SEC-01]", () => {
  const { allowedOrigins } = read({
    DT_ALLOWED_ORIGINS: "https://ide.example, http://localhost:5173",
  });

  expect(allowedOrigins).toEqual(["https://ide.example", "http://localhost:5173"]);
});

test.each(["*", "null", "ide.example", "https://ide.example/", "https://*.example/x"])(
  "%s is refused as an allowed origin [SEC-01]",
  (origin) => {
    expect(() => read({ DT_ALLOWED_ORIGINS: origin })).toThrow(
      `DT_ALLOWED_ORIGINS: expected origins such as https://ide.example, got ${origin}`,
    );
  },
);

test("each limit is read in the unit that the name of its variable states [SRV-10, SRV-21]", () => {
  const { limits } = read({
    DT_MAX_TURNS: "3",
    DT_MAX_STREAMS_PER_PRINCIPAL: "5000",
    DT_SESSION_IDLE_MINUTES: "2",
    DT_SESSION_TTL_DAYS: "1",
  });

  expect(limits).toMatchObject({
    maxTurns: 3,
    maxStreamsPerPrincipal: 5_000,
    sessionIdleMs: 120_000,
    sessionTtlMs: 86_400_000,
  });
});

test("DT_MCP_ALLOW allows addresses for MCP servers of clients [SEC-04]", () => {
  const { mcpAllowList } = read({ DT_MCP_ALLOW: "10.0.0.0/8, tools.internal" });

  expect(mcpAllowList.hasAddress("10.1.2.3")).toBe(true);
  expect(mcpAllowList.hasAddress("192.168.0.1")).toBe(false);
  expect(mcpAllowList.hasHost("tools.internal")).toBe(true);
  expect(() => read({ DT_MCP_ALLOW: "10.0.0.0/99" })).toThrow(
    "DT_MCP_ALLOW: expected a host, an address or a range such as 10.0.0.0/8, got 10.0.0.0/99",
  );
});

test("push is configured or switched off by its variables [RFC-03]", () => {
  const { push } = read({
    DT_PUSH_ALLOW: "10.0.0.0/8, hooks.internal,",
    DT_PUSH_SECRET: "a secret",
    DT_PUSH_TIMEOUT_MS: "5000",
    DT_PUSH_MAX_FAILURES: "7",
  });

  expect(push).toEqual({
    allowList: ["10.0.0.0/8", "hooks.internal"],
    secret: "a secret",
    timeoutMs: 5_000,
    retry: { maxFailures: 7 },
  });
  expect(read({ DT_PUSH: "on" }).push).toEqual(PUSH_DEFAULTS);
  expect(read({ DT_PUSH: "off", DT_PUSH_ALLOW: "10.0.0.0/8" }).push).toBe(false);
});

test.each([
  [{}, "warn"],
  [{ NODE_ENV: "production" }, "warn"],
  [{ NODE_ENV: "development" }, "info"],
  [{ NODE_ENV: "development", DT_LOG_LEVEL: "error" }, "error"],
])("the variables %j set the log level %s", (variables, level) => {
  expect(read(variables as Record<string, string>).logLevel).toBe(level);
});

test.each([
  [
    { CODER_AGENT_PORT: "70000" },
    "CODER_AGENT_PORT: expected a whole number from 0 to 65535, got 70000",
  ],
  [{ DT_MAX_TURNS: "0" }, "DT_MAX_TURNS: expected a whole number of at least 1, got 0"],
  [{ DT_MAX_TURNS: "many" }, "DT_MAX_TURNS: expected a whole number of at least 1, got many"],
  [
    { DT_LOG_LEVEL: "loud" },
    "DT_LOG_LEVEL: expected one of silent, error, warn, info, debug, got loud",
  ],
  [{ DT_EXTENSION_REQUIRED: "1" }, "DT_EXTENSION_REQUIRED: expected true or false, got 1"],
  [{ DT_PUSH: "maybe" }, "DT_PUSH: expected one of on, off, got maybe"],
  [
    { DT_PUSH_TIMEOUT_MS: "0" },
    "DT_PUSH_TIMEOUT_MS: expected a whole number from 1 to 600000, got 0",
  ],
  [{ DT_WORKSPACE_ROOTS: "here" }, "DT_WORKSPACE_ROOTS: expected absolute paths, got here"],
])("the value in %j is refused, and the error names the variable", (variables, message) => {
  expect(() => read(variables as Record<string, string>)).toThrow(message);
});

test.each([
  [[], { type: "run", isDebug: false }],
  [["--debug"], { type: "run", isDebug: true }],
  [["-h"], { type: "help" }],
  [["--version"], { type: "version" }],
])("the command line %j is parsed as %j", (argv, args) => {
  expect(parseServerArgs(argv)).toEqual(args);
});

test.each([
  ["--port", "CODER_AGENT_PORT"],
  ["--prot=4000", "CODER_AGENT_PORT"],
  ["--host", "DT_HOST"],
  ["--model", "DT_MODEL"],
  ["--data-dir", "DT_DATA_DIR"],
])("the option %s is refused with a hint at the variable %s", (argument, variable) => {
  expect(() => parseServerArgs([argument])).toThrow(
    `Unknown option '${argument.split("=")[0]}'; set ${variable} instead; try dt-server --help`,
  );
});

test.each([["--grepp"], ["start"]])("the argument %j is refused with one line", (argument) => {
  expect(() => parseServerArgs([argument])).toThrow(/^[^\n]+; try dt-server --help$/);
});

test.each([
  ["DT_WORKSPACE_ROOT", "DT_WORKSPACE_ROOTS"],
  ["DT_DATADIR", "DT_DATA_DIR"],
  ["DT_MAX_TURN", "DT_MAX_TURNS"],
  ["DT_MODES", "DT_MODE"],
  ["CODER_AGENT_PORTS", "CODER_AGENT_PORT"],
])("the misspelt variable %s is reported with the correct name %s", (name, meant) => {
  expect(read({ [name]: "1" }).warnings).toEqual([
    `there is no variable ${name}, did you mean ${meant}?`,
  ]);
});

test("variables that the server reads are not reported as misspelt", () => {
  const names = ["DT_PUSH_SECRET_FILE", "DT_MODEL", "DT_MODE", "DT_HOST", "DT_PUSH_ALLOW"];

  expect(read(Object.fromEntries(names.map((name) => [name, ""]))).warnings).toEqual([]);
});
