import type {
  AgentSettings,
  Caller,
  ExtensionUris,
  JsonObject,
  ServerPolicy,
  SlashCommand,
} from "@dt/schema";
import type {
  A2aSpelling,
  A2aVersion,
  Activation,
  Dialect,
  Dialects,
  DialectVariant,
  StreamFrame,
} from "@dt/schema/wire";
import type { Right } from "../access/auth/role-table.js";
import type { CredentialBook } from "../access/credential-book.js";
import type { SessionAccess } from "../access/grants/session-access.js";
import type { SessionSharing } from "../access/grants/sharing.js";
import type { StreamLimit } from "../access/limits/stream-limit.js";
import type { RateLimits } from "../access/rates/rate-limits.js";
import type { WorkspaceRoots } from "../access/workspace-roots.js";
import type { AuditLog } from "../audit/audit-log.js";
import type { Clock } from "../clock.js";
import type { Metrics } from "../metrics/metrics.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { CallLifetime } from "./call-lifetime.js";
import type { SharedSnapshots } from "./frames/shared-snapshots.js";
import type { Delivery } from "./messages/delivery.js";
import type { InFlight } from "./messages/in-flight.js";
import type { ServerPushConfigs } from "./push/push-port.js";
import type { Stopping } from "./stopping.js";
import type { LiveSessions } from "./tasks/live-sessions.js";
import type { SharedSession } from "./tasks/shared-session.js";
import type { TaskLister } from "./tasks/task-lister.js";

/** Services that all methods of a server share. */
export interface RpcServices {
  readonly sessions: SessionRegistry;
  readonly credentials: CredentialBook;
  /** Access to sessions by grants. Absent on a live endpoint, where all clients share one session. */
  readonly access?: SessionAccess;
  /** Shares sessions. Absent on a live endpoint. */
  readonly sharing?: SessionSharing;
  readonly workspaceRoots: WorkspaceRoots;
  /** Settings of sessions whose client does not use the development-tool extension. */
  readonly defaultSettings: AgentSettings;
  /** Limits that no user can loosen. Default: no limits. */
  readonly policy?: ServerPolicy;
  readonly createId: () => string;
  readonly clock: Pick<Clock, "elapsedMs">;
  /** True if clients must activate the development-tool extension. */
  readonly isExtensionRequired: boolean;
  /** Media types that prompts may contain. Default: those of our agent. */
  readonly inputModes?: readonly string[];
  /** URIs of the extensions. */
  readonly uris: ExtensionUris;
  readonly dialects: Dialects;
  readonly snapshots: SharedSnapshots;
  /** Messages that are being delivered. */
  readonly inFlight: InFlight<Delivery>;
  /** Lists the slash commands to offer before a session exists. Default: none. */
  readonly listCommands?: () => Promise<readonly SlashCommand[]>;
  /** Lists tasks. If absent, requests to list tasks are refused. */
  readonly tasks?: TaskLister;
  /** The push configs. If absent, requests about push are refused. */
  readonly pushes?: ServerPushConfigs;
  readonly stopping: Stopping;
  readonly metrics?: Pick<Metrics, "callAnswered">;
  /** Stores who was refused. If absent, refusals are not stored. */
  readonly audit?: Pick<AuditLog, "record">;
  /** Limits the streams of each user. If absent, streams are not limited. */
  readonly streams?: StreamLimit;
  /** Limits the requests and prompts of each user. If absent, these are not limited. */
  readonly rates?: Pick<RateLimits, "countRequest" | "countPrompt">;
  /** Counts the connected clients of a live endpoint. If absent, the clients of the session are counted. */
  readonly countClients?: () => number;
  /** Builds the card for an authenticated caller. If absent, the agent has only its public card. */
  readonly extendedCard?: (
    caller: Caller,
    version: A2aVersion,
    request: { readonly headers: { readonly host?: string } },
  ) => JsonObject;
  /** Gets the session that all clients of a live endpoint share. */
  readonly shared?: () => Promise<SharedSession>;
  /** The open live sessions, if the endpoint serves several. `shared` then gets the session that was opened first. */
  readonly live?: LiveSessions;
}

/** Everything that a method needs for one call. */
export interface RpcContext extends RpcServices {
  /** The dialect of the request. */
  readonly dialect: Dialect;
  /** Names and rules of the A2A version of the request. */
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
  readonly caller: Caller;
  /** The right that the caller must have on the server and on the session. */
  readonly right: Right;
  /** Last cursor that the client has seen: Last-Event-ID, or `after` on a WebSocket. */
  readonly after: string | undefined;
  /** True if the client accepts a stream from methods that can also return a single result. */
  readonly acceptsStream: boolean;
  /** Host and port that the client connected to, as its request names them. */
  readonly host?: string | undefined;
  /** True if the call was made on this machine. */
  readonly isFromLoopback: boolean;
  /** Aborts when the client is gone, or when the access of the caller has ended. */
  readonly signal: AbortSignal;
  /** Ends the call when the caller's grant on its session ends; see {@link CallLifetime.endWith}. */
  readonly endWith: CallLifetime["endWith"];
}

/** Returns the variant of A2A that a request uses. */
export function variantOf({
  spelling,
  activation,
}: Pick<RpcContext, "spelling" | "activation">): DialectVariant {
  const { developmentTool, session } = activation;
  return { version: spelling.version, developmentTool, session };
}

/** Result of a method: one value, or a stream of batches. */
export type RpcOutcome =
  | { readonly type: "result"; readonly result: unknown }
  | {
      readonly type: "stream";
      readonly batches: AsyncIterable<readonly StreamFrame[]>;
      /** Id of the JSON-RPC results in the stream. Default: the id of the request. */
      readonly frameId?: string;
    };
