import type { JsonObject } from "@dt/schema";
import { TransportError } from "../../errors/transport-error.js";
import { linkSignals } from "../../transport/abort-signals.js";
import type { StreamResult, Transport } from "../../transport/transport.js";
import type { Attempts } from "./attempts.js";

/** A stream that can outlive the call that opened it. It ends at the latest when the client closes. */
export interface StreamSource {
  /** Returns the next result; undefined at the end. */
  next(): Promise<StreamResult | undefined>;
  /** Closes the stream. */
  close(): void;
}

/** Dependencies of {@link openStreamSource}. */
export interface StreamSourceOptions {
  readonly transport: Transport;
  readonly attempts: Attempts;
  readonly method: string;
  readonly params: JsonObject;
}

/** Opens a stream. The request is sent when the first result is read. */
export function openStreamSource(options: StreamSourceOptions): StreamSource {
  const { transport, attempts, method, params } = options;
  const link = linkSignals(attempts.closing);
  const { signal } = link;
  const stream = transport.stream(method, params, { signal, onOpen: attempts.reached });
  const results = stream[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const { done, value } = await results.next();
        if (done !== true) return value;
        link.release();
        return undefined;
      } catch (reason) {
        link.release();
        throw reason;
      }
    },
    close() {
      link.abort(new TransportError("closed", "this stream is no longer read"));
      link.release();
      // `return` ends a stream between two results; the signal ends a pending read.
      results.return?.().catch(() => {});
    },
  };
}
