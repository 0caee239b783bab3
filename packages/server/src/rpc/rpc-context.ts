import type { AgentSettings, ExtensionUris, Principal } from "@dt/schema";
import type { A2aSpelling, Activation } from "@dt/schema/wire";
import type { SessionRegistry } from "../sessions/session-registry.js";

/** What every method of a server shares. */
export interface RpcServices {
  readonly sessions: SessionRegistry;
  readonly workspaceRoots: readonly string[];
  /** What a client without our extension works with. */
  readonly defaultSettings: AgentSettings;
  readonly createId: () => string;
  /** Whether a client must activate the development-tool extension. */
  readonly isExtensionRequired: boolean;
  /** The URIs that the extensions go by here. */
  readonly uris: ExtensionUris;
}

/** Who calls, in which version and with which extensions. */
export interface RpcContext extends RpcServices {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
  readonly principal: Principal;
  /** The cursor that the client saw last, from Last-Event-ID. */
  readonly after: string | undefined;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** One element of a stream: the JSON text of a result, and its cursor where it has one. */
export interface StreamFrame {
  readonly json: string;
  readonly cursor?: string;
}

/** What a method gives back: one result, or a stream of them in batches. */
export type RpcOutcome =
  | { readonly type: "result"; readonly result: unknown }
  | { readonly type: "stream"; readonly batches: AsyncIterable<readonly StreamFrame[]> };
