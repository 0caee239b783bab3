import path from "node:path";
import { describeMisspeltVariables } from "@dt/agent-core";
import type { AllowList } from "@dt/schema/address";
import {
  type JwtOptions,
  type Limits,
  type LogLevel,
  type PushOptions,
  requiresAuth,
  type SecretKeyOptions,
  SetupError,
  type TlsFiles,
} from "@dt/server";
import { SERVER_SECRETS, SERVER_VARIABLES, type ServerVariable } from "./variables/variables.js";

/** The configuration of the server, read from the environment. */
export interface Env {
  readonly host: string;
  readonly port: number;
  /** Port of the gRPC binding; undefined if there is none. */
  readonly grpcPort: number | undefined;
  readonly dataDir: string;
  /** The database, in the data directory. */
  readonly databaseFile: string;
  /** Address of the Postgres database that replaces `databaseFile`; undefined if there is none. */
  readonly storeUrl: string | undefined;
  /** The bucket that replaces `databaseFile`; undefined if there is none. */
  readonly bucket: BucketOptions | undefined;
  /** Time after which other instances may take over the sessions of this instance, if it no longer answers. */
  readonly leaseMs: number;
  /**
   * Name of the pool of this instance; undefined to use the name of the host. The instances of a pool share
   * the same workspaces, and a session stays in its pool.
   */
  readonly pool: string | undefined;
  /**
   * File that this process locks. If the process crashes, its successor with the same file takes over its
   * sessions in the Postgres database at once.
   */
  readonly instanceFile: string;
  /** True if requests from this machine need a token too. */
  readonly isAuthRequired: boolean;
  /** Address at which clients reach the server; undefined if clients use the address of host and port. */
  readonly publicUrl: string | undefined;
  /** Host names that the `Host` header may contain, beside loopback and the host of `publicUrl`. */
  readonly allowedHosts: readonly string[];
  /** The identity provider; undefined if there is none. */
  readonly jwt: JwtOptions | undefined;
  /** Files of the certificate and its key; undefined for plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /**
   * True if a proxy stands in front of the server. The addresses of clients are then read from the header
   * `X-Forwarded-For`, which the proxy sets.
   */
  readonly trustsProxy: boolean;
  /** Home of the person who runs the server; it holds their settings and extensions. */
  readonly home: string;
  readonly workspaceRoots: readonly string[];
  /** Keys that encrypt secrets of clients; undefined to keep such secrets in memory. */
  readonly secretKeys: SecretKeyOptions | undefined;
  /** File with limits that no user can loosen. */
  readonly policyFile: string | undefined;
  /** File with the defaults of every session. */
  readonly settingsFile: string | undefined;
  /** Workspace of clients that name none. */
  readonly defaultWorkspace: string;
  readonly isExtensionRequired: boolean;
  /** Origins of web pages that may use the server. */
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  readonly limits: Partial<Limits>;
  readonly maxBodyBytes: number;
  /** False if push is off. */
  readonly push: PushOptions | false;
  /** Private addresses of MCP servers that clients may use. */
  readonly mcpAllowList: AllowList;
  /** Name or command line of an external agent; undefined for our own model. */
  readonly agent: string | undefined;
  /** Time that running turns get to finish after a signal. */
  readonly shutdownGraceMs: number;
  /** A sentence for each variable that is probably misspelt. */
  readonly warnings: readonly string[];
  /** All environment variables except the server's own secrets. Some of them choose the model and its key. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** A bucket of Google Cloud Storage. */
export interface BucketOptions {
  readonly bucket: string;
  /** Folder in the bucket; "" for the whole bucket. */
  readonly prefix: string;
  readonly projectId: string | undefined;
  readonly keyFile: string | undefined;
  readonly endpoint: string | undefined;
}

/** Input of {@link parseEnv}. */
export interface EnvSource {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly startDirectory: string;
}

type VariableValue<TName extends ServerVariable> = ReturnType<
  (typeof SERVER_VARIABLES)[TName]["parse"]
>;

type ReadVariable = <TName extends ServerVariable>(name: TName) => VariableValue<TName>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Names of the variables that are read. They are never reported as misspelt. */
const KNOWN_NAMES = [
  ...Object.keys(SERVER_VARIABLES),
  ...SERVER_SECRETS.map((name) => `${name}_FILE`),
];

/**
 * Reads the name of the external agent. Also checks the agent's other variables now, although they are used
 * only when the agent is created.
 */
function readAgent(read: ReadVariable): string | undefined {
  read("DT_AGENT_VARIABLES");
  read("DT_AGENT_TIMEOUT_MS");
  return read("DT_AGENT") || undefined;
}

/** Reads where the bucket is, and how to get access to it. */
function readBucket(
  read: ReadVariable,
  prefix: string,
  variables: EnvSource["variables"],
): BucketOptions {
  return {
    prefix,
    bucket: read("A2A_GCS_BUCKET"),
    // This variable is declared with those of the models, because Vertex AI uses it too.
    projectId: variables.GOOGLE_CLOUD_PROJECT || undefined,
    keyFile: read("GOOGLE_APPLICATION_CREDENTIALS") || undefined,
    endpoint: read("STORAGE_EMULATOR_HOST") || undefined,
  };
}

/** Reads the environment; throws a SetupError that names the variable if a value is invalid. */
export function parseEnv({ variables, home, startDirectory }: EnvSource): Env {
  const read: ReadVariable = (name) =>
    SERVER_VARIABLES[name].parse(name, variables[name]) as VariableValue<typeof name>;
  const start = read("INIT_CWD") ?? startDirectory;
  const store = read("DT_STORE");
  const dataHome = read("XDG_DATA_HOME") ?? path.join(home, ".local", "share");
  const dataDir = read("DT_DATA_DIR") ?? path.join(dataHome, "dt");
  const fileOf = (name: "DT_POLICY_FILE" | "DT_SETTINGS_FILE") => {
    const file = read(name);
    return file === undefined ? undefined : path.resolve(start, file);
  };
  const isDevelopment = read("NODE_ENV") === "development";
  const isAuthRequired = read("DT_AUTH") === "required";
  const [host, publicUrl] = [read("DT_HOST"), read("DT_PUBLIC_URL")];
  const allowedHosts = read("DT_ALLOWED_HOSTS");
  // Users of a team must not work in the operator's home directory, because it contains keys and data.
  const isForTeam = requiresAuth({
    host,
    isAuthRequired,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(allowedHosts !== undefined && { allowedHosts }),
  });
  return {
    host,
    port: read("CODER_AGENT_PORT"),
    grpcPort: read("DT_GRPC_PORT"),
    dataDir,
    databaseFile: path.join(dataDir, "dt-server.db"),
    storeUrl: store?.type === "postgres" ? store.url : undefined,
    bucket: store?.type === "gcs" ? readBucket(read, store.prefix, variables) : undefined,
    leaseMs: read("DT_LEASE_SECONDS") * 1_000,
    pool: read("DT_POOL"),
    instanceFile: path.join(dataDir, "instance"),
    isAuthRequired,
    publicUrl,
    allowedHosts,
    jwt: readJwt(read),
    tls: readTls(read),
    trustsProxy: read("DT_TRUST_PROXY"),
    home,
    workspaceRoots: read("DT_WORKSPACE_ROOTS") ?? defaultRoots(isForTeam ? [start] : [start, home]),
    secretKeys: readSecretKeys(read),
    policyFile: fileOf("DT_POLICY_FILE"),
    settingsFile: fileOf("DT_SETTINGS_FILE"),
    defaultWorkspace: path.resolve(start, read("CODER_AGENT_WORKSPACE_PATH") ?? "."),
    isExtensionRequired: read("DT_EXTENSION_REQUIRED"),
    allowedOrigins: read("DT_ALLOWED_ORIGINS"),
    logLevel: read("DT_LOG_LEVEL") ?? (isDevelopment ? "info" : "warn"),
    limits: readLimits(read),
    maxBodyBytes: read("DT_MAX_BODY_BYTES"),
    push: readPush(read),
    mcpAllowList: read("DT_MCP_ALLOW"),
    agent: readAgent(read),
    shutdownGraceMs: read("DT_SHUTDOWN_GRACE_MS"),
    variables: withoutSecrets(variables),
    warnings: describeMisspeltVariables(variables, KNOWN_NAMES),
  };
}

function readJwt(read: ReadVariable): JwtOptions | undefined {
  const jwksUrl = read("DT_JWT_JWKS_URL");
  const issuer = read("DT_JWT_ISSUER");
  const audience = read("DT_JWT_AUDIENCE");
  if (jwksUrl === undefined && issuer === undefined && audience === undefined) return undefined;
  if (jwksUrl === undefined || issuer === undefined || audience === undefined) {
    throw new SetupError(
      "DT_JWT_JWKS_URL, DT_JWT_ISSUER and DT_JWT_AUDIENCE: set all of them, or none",
    );
  }
  const header = read("DT_JWT_HEADER");
  const roles = read("DT_JWT_ROLES");
  const defaultRole = read("DT_JWT_DEFAULT_ROLE");
  return {
    jwksUrl,
    issuer,
    audience,
    algorithms: read("DT_JWT_ALGORITHMS"),
    ...(header !== undefined && { header }),
    roleClaim: read("DT_JWT_ROLE_CLAIM"),
    ...(roles !== undefined && { roles }),
    ...(defaultRole !== undefined && { defaultRole }),
    tierClaim: read("DT_JWT_TIER_CLAIM"),
  };
}

function readSecretKeys(read: ReadVariable): SecretKeyOptions | undefined {
  const key = read("DT_SECRET_KEY");
  const previousKey = read("DT_PREVIOUS_SECRET_KEY");
  if (key !== undefined) return { key, previousKey };
  if (previousKey === undefined) return undefined;
  throw new SetupError("DT_SECRET_KEY: required, because DT_PREVIOUS_SECRET_KEY is set");
}

/** Removes the server's own keys from the variables, so that no setting can pass a key to a program. */
function withoutSecrets(variables: EnvSource["variables"]): EnvSource["variables"] {
  const entries = Object.entries(variables);
  return Object.fromEntries(entries.filter(([name]) => !SERVER_SECRETS.includes(name)));
}

function readTls(read: ReadVariable): TlsFiles | undefined {
  const certFile = read("DT_TLS_CERT");
  const keyFile = read("DT_TLS_KEY");
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  const [set, missing] =
    keyFile === undefined ? ["DT_TLS_CERT", "DT_TLS_KEY"] : ["DT_TLS_KEY", "DT_TLS_CERT"];
  throw new SetupError(`${missing}: required, because ${set} is set`);
}

function readPush(read: ReadVariable): PushOptions | false {
  if (read("DT_PUSH") === "off") return false;
  const allowList = read("DT_PUSH_ALLOW");
  const secret = read("DT_PUSH_SECRET");
  return {
    ...(allowList !== undefined && { allowList }),
    ...(secret !== undefined && { secret }),
    timeoutMs: read("DT_PUSH_TIMEOUT_MS"),
    retry: { maxFailures: read("DT_PUSH_MAX_FAILURES") },
  };
}

function readLimits(read: ReadVariable): Partial<Limits> {
  const ttlDays = read("DT_SESSION_TTL_DAYS");
  return {
    maxTurns: read("DT_MAX_TURNS"),
    maxTurnsPerOwner: read("DT_MAX_TURNS_PER_OWNER"),
    maxWaitingPrompts: read("DT_MAX_WAITING_PROMPTS"),
    maxTasksPerOwner: read("DT_MAX_TASKS_PER_OWNER"),
    maxStreamsPerPrincipal: read("DT_MAX_STREAMS_PER_PRINCIPAL"),
    maxConnections: read("DT_MAX_CONNECTIONS"),
    maxRequestsPerMinute: read("DT_MAX_REQUESTS_PER_MINUTE"),
    maxPromptsPerMinute: read("DT_MAX_PROMPTS_PER_MINUTE"),
    maxFailedSignInsPerMinute: read("DT_MAX_FAILED_SIGN_INS_PER_MINUTE"),
    maxSessionsInMemory: read("DT_MAX_SESSIONS_IN_MEMORY"),
    sessionIdleMs: read("DT_SESSION_IDLE_MINUTES") * MINUTE_MS,
    ...(ttlDays !== undefined && { sessionTtlMs: ttlDays * DAY_MS }),
  };
}

// Chooses the default roots of workspaces. The root of the file system is never a default.
function defaultRoots(directories: readonly string[]): readonly string[] {
  const roots = directories.filter((directory) => path.parse(directory).root !== directory);
  return [...new Set(roots.filter((directory) => directory !== ""))];
}
