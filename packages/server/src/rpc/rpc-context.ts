import type { AgentSettings, Caller, ExtensionUris, SlashCommand } from "@dt/schema";
import type {
  A2aSpelling,
  Activation,
  Dialect,
  Dialects,
  DialectVariant,
  StreamFrame,
} from "@dt/schema/wire";
import type { CredentialBook } from "../access/credential-book.js";
import type { StreamLimit } from "../access/limits/stream-limit.js";
import type { Clock } from "../clock.js";
import type { Metrics } from "../metrics/metrics.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { SharedSnapshots } from "./frames/shared-snapshots.js";
import type { Delivery } from "./messages/delivery.js";
import type { InFlight } from "./messages/in-flight.js";
import type { PushConfigs } from "./push/push-port.js";
import type { Stopping } from "./stopping.js";
import type { SharedSession } from "./tasks/shared-session.js";
import type { TaskLister } from "./tasks/task-lister.js";

/** What every method of a server shares. */
export interface RpcServices {
  readonly sessions: SessionRegistry;
  readonly credentials: CredentialBook;
  readonly workspaceRoots: readonly string[];
  /** What a client without our extension works with. */
  readonly defaultSettings: AgentSettings;
  readonly createId: () => string;
  readonly clock: Pick<Clock, "elapsedMs">;
  /** Whether a client must activate the development-tool extension. */
  readonly isExtensionRequired: boolean;
  /** The URIs that the extensions go by here. */
  readonly uris: ExtensionUris;
  readonly dialects: Dialects;
  readonly snapshots: SharedSnapshots;
  /** Messages that are being delivered. */
  readonly inFlight: InFlight<Delivery>;
  /** The slash commands of a session that does not exist yet. Default: none. */
  readonly listCommands?: () => Promise<readonly SlashCommand[]>;
  /** Where tasks are listed from; without it, listing is refused. */
  readonly tasks?: TaskLister;
  /** Those who call back; without them, push configs are refused. */
  readonly pushes?: PushConfigs;
  readonly stopping: Stopping;
  readonly metrics?: Pick<Metrics, "callAnswered">;
  /** Counts the streams of each caller; without it, they are not limited. */
  readonly streams?: StreamLimit;
  /** On a live endpoint: how many clients are connected. Elsewhere those count who watch a session. */
  readonly countClients?: () => number;
  /** On a live endpoint: the session that everyone shares. */
  readonly shared?: () => Promise<SharedSession>;
}

/** The caller of a method, and the dialect that it speaks. */
export interface RpcContext extends RpcServices {
  /** The dialect of the request. */
  readonly dialect: Dialect;
  /** The version of A2A that the method belongs to. */
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
  readonly caller: Caller;
  /** The cursor that the client saw last: Last-Event-ID, or `after` on a WebSocket. */
  readonly after: string | undefined;
  /** Whether the client takes a stream where a method can give one or a single answer. */
  readonly acceptsStream: boolean;
  /** Whether the client connected over loopback. */
  readonly isFromLoopback: boolean;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** The variant of A2A that a request speaks. */
export function variantOf({
  spelling,
  activation,
}: Pick<RpcContext, "spelling" | "activation">): DialectVariant {
  const { developmentTool, session } = activation;
  return { version: spelling.version, developmentTool, session };
}

/** What a method gives back: one result, or a stream of them in batches. */
export type RpcOutcome =
  | { readonly type: "result"; readonly result: unknown }
  | {
      readonly type: "stream";
      readonly batches: AsyncIterable<readonly StreamFrame[]>;
      /** Set where every frame of an HTTP stream is a JSON-RPC result with this id. (GUIDE 3) */
      readonly frameId?: string;
    };
