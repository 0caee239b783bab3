import { ROLES } from "@dt/schema";
import { LOG_LEVELS, SERVER_DEFAULTS } from "@dt/server";
import {
  addresses,
  addressList,
  directories,
  flag,
  hostNames,
  origins,
  roleNames,
  secret,
  serverAddress,
  signatureAlgorithms,
  storeAddress,
  text,
  type Variable,
  wholeNumber,
  word,
} from "./variable-types.js";

const { limits, maxBodyBytes, pushTimeoutMs, pushMaxFailures } = SERVER_DEFAULTS;

/** Declares a limit of at least 1. */
function limit(value: number, effect: string): Variable<number> {
  return wholeNumber({ min: 1, default: value, effect });
}

/** Declares a variable that OpenTelemetry defines. */
function openTelemetry(effect: string, defaultText = "none"): Variable<string | undefined> {
  return text({ default: undefined, defaultText, effect });
}

/** The variables that dt-server reads, apart from those of models and settings. */
export const SERVER_VARIABLES = {
  CODER_AGENT_PORT: wholeNumber({
    min: 0,
    max: 65_535,
    default: 41_242,
    effect: "Port to listen on; 0 picks a free one.",
  }),
  DT_GRPC_PORT: wholeNumber({
    min: 0,
    max: 65_535,
    default: undefined,
    defaultText: "no gRPC",
    effect: "Port of A2A's gRPC binding; 0 picks a free one. The agent card lists it.",
  }),
  DT_HOST: text({
    default: "127.0.0.1",
    effect:
      "Address to listen on. An address beyond loopback is refused until a token exists (`dt-server token create`) or `DT_JWT_JWKS_URL` is set.",
  }),
  DT_AUTH: word({
    words: ["local", "required"],
    default: "local",
    effect:
      "With `required`, requests from this machine need a token too. Requests from other machines always need a token.",
  }),
  DT_PUBLIC_URL: serverAddress({
    effect:
      "Address at which clients reach the server, for example `https://dt.example/`. The agent card names it. If it is set, every request needs a token.",
  }),
  DT_ALLOWED_HOSTS: hostNames({
    effect:
      "Host names that the `Host` header of a request may contain, beside loopback and the host of `DT_PUBLIC_URL`. If this variable is set, every request needs a token.",
  }),
  DT_JWT_JWKS_URL: serverAddress({
    effect:
      "Address of the keys of an identity provider. If it is set, the server accepts JSON Web Tokens beside dt's own tokens.",
  }),
  DT_JWT_ISSUER: text({ default: undefined, effect: "Issuer that JSON Web Tokens must have." }),
  DT_JWT_AUDIENCE: text({ default: undefined, effect: "Audience that JSON Web Tokens must have." }),
  DT_JWT_ALGORITHMS: signatureAlgorithms({
    default: "RS256,ES256,EdDSA",
    effect: "Algorithms of signatures that are accepted.",
  }),
  DT_JWT_HEADER: text({
    default: undefined,
    defaultText: "`Authorization`",
    effect:
      "Header that contains the JSON Web Token. Set it if a proxy uses its own header, for example `X-Goog-IAP-JWT-Assertion`.",
  }),
  DT_JWT_ROLE_CLAIM: text({
    default: "dt_role",
    effect:
      "Claim with the role of the user: one value, or a list of which the highest role counts.",
  }),
  DT_JWT_ROLES: roleNames({
    effect:
      "Role for each value of the claim that `DT_JWT_ROLE_CLAIM` names, for example `engineers=approve,leads=admin`. If it is not set, the values are the names of roles.",
  }),
  DT_JWT_DEFAULT_ROLE: word({
    words: ROLES,
    default: undefined,
    defaultText: "none: users without a role get 403",
    effect: "Role of users without a role in the claim.",
  }),
  DT_JWT_TIER_CLAIM: text({ default: "dt_tier", effect: "Claim with the tier of the user." }),
  DT_TLS_CERT: text({
    type: "file",
    default: undefined,
    effect: "Certificate chain (PEM). The server then serves https. It reads a changed file again.",
  }),
  DT_TLS_KEY: text({
    type: "file",
    default: undefined,
    effect: "Private key (PEM) of the certificate in `DT_TLS_CERT`.",
  }),
  DT_TRUST_PROXY: flag({
    effect:
      "Takes the address of a client from the header that a proxy sets. Set it only if all requests pass that proxy.",
  }),
  DT_AGENT: text({
    default: undefined,
    defaultText: "none: dt's own model",
    effect:
      "Agent that runs the turns: `gemini`, `claude`, `codex`, `opencode`, or the command line of an agent of the Agent Client Protocol.",
  }),
  DT_AGENT_VARIABLES: text({
    type: "names, separated by commas",
    default: "",
    defaultText: "none",
    effect: "Further variables that the process of the agent gets, for example its key.",
  }),
  DT_AGENT_TIMEOUT_MS: wholeNumber({
    min: 1,
    default: 120_000,
    effect: "Time that the agent gets to start, and again to open a session.",
  }),
  DT_DATA_DIR: text({
    type: "directory",
    default: undefined,
    defaultText: "`$XDG_DATA_HOME/dt`, else `~/.local/share/dt`",
    effect: "Directory of the database `dt-server.db` and of the files of sessions.",
  }),
  DT_STORE: storeAddress({
    effect:
      "Store that replaces `dt-server.db`: a Postgres database, `postgres://user:password@host/database` (`?schema=NAME` for a schema other than `dt`), or a bucket, `gcs` or `gcs:FOLDER`.",
    defaultText: "the file `dt-server.db`",
  }),
  A2A_GCS_BUCKET: text({
    default: "gemini-cli-a2a-tasks",
    effect: "Name of the bucket that `DT_STORE=gcs` uses.",
  }),
  GOOGLE_APPLICATION_CREDENTIALS: text({
    type: "file",
    default: undefined,
    defaultText: "the credentials of the machine",
    effect: "Key of a service account for `DT_STORE=gcs`.",
  }),
  STORAGE_EMULATOR_HOST: text({
    default: undefined,
    defaultText: "Google",
    effect:
      "Address of a server that stands in for Google Cloud Storage in tests, for example `http://127.0.0.1:9023`. It gets no credentials.",
  }),
  DT_LEASE_SECONDS: wholeNumber({
    min: 1,
    max: 3_600,
    default: 15,
    effect:
      "Time in seconds after which other instances may take the sessions of an instance that does not answer. Only for Postgres.",
  }),
  DT_POOL: text({
    default: undefined,
    defaultText: "the name of the host",
    effect:
      "Pool of this instance. Instances of one pool must have the same files at the same paths. A session is run only by instances of its pool. Only for Postgres.",
  }),
  XDG_DATA_HOME: text({
    type: "directory",
    default: undefined,
    defaultText: "`~/.local/share`",
    effect: "Parent of the default data directory.",
  }),
  DT_SECRET_KEY: secret({
    effect:
      "Key of at least 32 characters that encrypts secrets of clients in the database. Without it, such secrets stay in memory and end with the process.",
  }),
  DT_PREVIOUS_SECRET_KEY: secret({
    effect: "The value of `DT_SECRET_KEY` before its last change. It only decrypts.",
  }),
  DT_POLICY_FILE: text({
    type: "file",
    default: undefined,
    effect:
      "Limits on every session that no user can loosen. The server reads the file at its start, and does not start if the file has a fault.",
  }),
  DT_SETTINGS_FILE: text({
    type: "file",
    default: undefined,
    effect: "Settings that are the defaults of every session. All other sources override them.",
  }),
  DT_WORKSPACE_ROOTS: directories({
    defaultText: "the start directory, and the home directory unless every request needs a token",
    effect: "Directories below which clients may work. Each must exist.",
  }),
  CODER_AGENT_WORKSPACE_PATH: text({
    type: "directory",
    default: undefined,
    defaultText: "the start directory",
    effect:
      "Workspace of clients that do not use the development-tool extension. It must be below the roots.",
  }),
  INIT_CWD: text({
    type: "directory",
    default: undefined,
    defaultText: "the working directory of the process",
    effect: "The start directory. npm sets it to the directory in which npm was started.",
  }),
  DT_EXTENSION_REQUIRED: flag({
    effect: "Refuses clients that do not activate the development-tool extension.",
  }),
  DT_ALLOWED_ORIGINS: origins({
    effect: "Web pages that may use the server, for example `https://ide.example`.",
  }),
  DT_LOG_LEVEL: word({
    words: LOG_LEVELS,
    default: undefined,
    defaultText: "`warn`; `info` with `NODE_ENV=development`",
    effect: "Level of the log. `info` logs each request.",
  }),
  NODE_ENV: text({ default: undefined, effect: "`development` changes the default log level." }),
  DT_SHUTDOWN_GRACE_MS: wholeNumber({
    min: 0,
    default: 10_000,
    effect: "Time in which running turns may finish after SIGTERM or Ctrl-C, in milliseconds.",
  }),
  DT_MAX_TURNS: limit(
    limits.maxTurns,
    "Maximum number of sessions with a running turn. Further prompts wait.",
  ),
  DT_MAX_TURNS_PER_OWNER: limit(
    limits.maxTurnsPerOwner,
    "Maximum number of sessions of one owner with a running turn. Further prompts wait.",
  ),
  DT_MAX_WAITING_PROMPTS: limit(
    limits.maxWaitingPrompts,
    `Maximum number of waiting prompts. Each waits for up to ${limits.maxWaitMs / 1000} seconds. Further ones get agent-busy (-32051).`,
  ),
  DT_MAX_TASKS_PER_OWNER: limit(
    limits.maxTasksPerOwner,
    "Maximum number of stored tasks of one owner.",
  ),
  DT_MAX_STREAMS_PER_PRINCIPAL: limit(
    limits.maxStreamsPerPrincipal,
    "Maximum number of open streams of one user. Further ones get agent-busy.",
  ),
  DT_MAX_REQUESTS_PER_MINUTE: limit(
    limits.maxRequestsPerMinute,
    "Maximum number of requests of one user per minute. Requests without a valid token are counted for their address.",
  ),
  DT_MAX_PROMPTS_PER_MINUTE: limit(
    limits.maxPromptsPerMinute,
    "Maximum number of prompts and commands of one user per minute. Further ones get rate-limited (-32058).",
  ),
  DT_MAX_FAILED_SIGN_INS_PER_MINUTE: limit(
    limits.maxFailedSignInsPerMinute,
    "Maximum number of invalid tokens of one address per minute.",
  ),
  DT_MAX_CONNECTIONS: limit(
    limits.maxConnections,
    "Maximum number of open sockets. A further socket replaces an idle one, or gets 503 and agent-busy.",
  ),
  DT_MAX_BODY_BYTES: wholeNumber({
    min: 1024,
    default: maxBodyBytes,
    effect: "Maximum size of a request's body, a WebSocket frame or a gRPC message, in bytes.",
  }),
  DT_MAX_SESSIONS_IN_MEMORY: limit(
    limits.maxSessionsInMemory,
    "Maximum number of sessions in memory. Beyond it, the least recently used session is unloaded until it is needed again.",
  ),
  DT_SESSION_IDLE_MINUTES: limit(
    limits.sessionIdleMs / 60_000,
    "Time that an unused session stays in memory, in minutes.",
  ),
  DT_SESSION_TTL_DAYS: wholeNumber({
    min: 1,
    max: 36_500,
    default: undefined,
    defaultText: "forever",
    effect: "Age in days at which an untouched session without an open question is deleted.",
  }),
  DT_MCP_ALLOW: addresses({
    defaultText: "none",
    effect:
      "Private addresses of MCP servers that clients may use, for example `tools.internal,10.0.0.0/8`. A client on this machine may always use a server on this machine.",
  }),
  DT_PUSH: word({
    words: ["on", "off"],
    default: "on",
    effect: "`off` turns push notifications off; the agent card then does not offer them.",
  }),
  DT_PUSH_ALLOW: addressList({
    effect:
      "Addresses outside the public internet that push may call, for example `hooks.internal,10.0.0.0/8`.",
  }),
  DT_PUSH_SECRET: secret({
    effect: "Signs pushes whose config has no `HMAC` secret of its own.",
  }),
  DT_PUSH_TIMEOUT_MS: wholeNumber({
    min: 1,
    max: 600_000,
    default: pushTimeoutMs,
    effect: "Time in which a receiver must answer, in milliseconds.",
  }),
  DT_PUSH_MAX_FAILURES: limit(
    pushMaxFailures,
    "Number of failed calls in a row after which a push config is no longer called.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: openTelemetry(
    "Address of a collector. Traces are sent if it is set.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: openTelemetry(
    "Replaces `OTEL_EXPORTER_OTLP_ENDPOINT` for traces.",
  ),
  OTEL_TRACES_EXPORTER: openTelemetry(
    "`otlp`, `console` or `none`.",
    "`otlp` with an endpoint, else `none`",
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: openTelemetry("`http/protobuf` or `http/json`.", "`http/protobuf`"),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: openTelemetry(
    "Replaces `OTEL_EXPORTER_OTLP_PROTOCOL` for traces.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: openTelemetry("Headers of each request to the collector."),
  OTEL_TRACES_SAMPLER: openTelemetry("Sampler that chooses the traces to record.", "all of them"),
  OTEL_SERVICE_NAME: openTelemetry("Name of the service in traces.", "`dt-server`"),
  OTEL_RESOURCE_ATTRIBUTES: openTelemetry("Further attributes of the service in traces."),
  OTEL_SDK_DISABLED: openTelemetry("`true` turns tracing off.", "`false`"),
};

/** Name of a variable of dt-server. */
export type ServerVariable = keyof typeof SERVER_VARIABLES;

/** The values of dt-server's variables. Code that reads an undeclared variable does not compile. */
export type ServerEnvironment = { readonly [Name in ServerVariable]?: string | undefined };

/** Variables whose value can also be in a file. A second variable, which ends with `_FILE`, has its path. */
export const SERVER_SECRETS: readonly string[] = Object.entries(SERVER_VARIABLES).flatMap(
  ([name, { hasFile }]) => (hasFile === true ? [name] : []),
);
