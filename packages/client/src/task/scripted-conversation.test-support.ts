import { DEFAULT_EXTENSION_URIS, type JsonObject, ProtocolError } from "@dt/schema";
import { spellings } from "@dt/schema/wire";
import type { StreamResult, Transport } from "../transport/transport.js";
import { createAttempts } from "./channel/attempts.js";
import type { Conversation } from "./channel/requests.js";
import { type ConnectionMonitor, createConnectionMonitor } from "./connection-monitor.js";

/** A request that a scripted agent received. */
export interface SeenRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly after?: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Behaviour of a scripted agent: replies to calls, and streams. */
export interface ConversationScript {
  readonly version?: "1.0" | "0.3";
  readonly maxAttempts?: number;
  call?(seen: SeenRequest): unknown;
  stream?(seen: SeenRequest): AsyncIterable<unknown> | Iterable<unknown>;
}

/** Opens a conversation with a scripted agent; every request is recorded. */
export function openConversation(script: ConversationScript) {
  const { version = "1.0", maxAttempts = 4 } = script;
  const seen: SeenRequest[] = [];
  const closing = new AbortController();
  const monitor: ConnectionMonitor = createConnectionMonitor();
  const pauses: number[] = [];
  monitor.onChange((state) => {
    if (state.status === "reconnecting") pauses.push(state.attempt);
  });
  const transport: Transport = {
    async call(method, params, signal) {
      const request = { method, params, signal };
      seen.push(request);
      if (script.call === undefined) throw new ProtocolError("method-not-found", method);
      return await script.call(request);
    },
    async *stream(method, params, { after, signal, onOpen }): AsyncIterable<StreamResult> {
      const request = { method, params, after, signal };
      seen.push(request);
      onOpen?.();
      for await (const result of script.stream?.(request) ?? []) {
        yield { result, cursor: undefined };
      }
    },
  };
  const attempts = createAttempts({
    schedule: { baseMs: 1, maxMs: 1, maxAttempts },
    closing: closing.signal,
    monitor,
  });
  const conversation: Conversation = {
    transport,
    spelling: spellings[version],
    uris: DEFAULT_EXTENSION_URIS,
    attempts,
  };
  return { conversation, seen, closing, monitor, pauses };
}
