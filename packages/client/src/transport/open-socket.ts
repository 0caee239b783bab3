import { TransportError } from "../errors/transport-error.js";
import type { WebSocketConstructor, WebSocketLike } from "./web-socket.js";

/** An open socket. */
export interface OpenSocket {
  send(text: string): void;
  /** Closes the socket; no more events follow. */
  close(): void;
}

/** Address and callbacks of a socket. */
export interface OpenSocketOptions {
  readonly WebSocket: WebSocketConstructor;
  readonly url: string;
  readonly protocols: readonly string[];
  /** Timeout of the handshake. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onText(text: string): void;
  /** Called once, with the close code, if the agent or the network closes an open socket. */
  onClose(reason: TransportError, code: number): void;
}

/** Close code of a normal end. */
const NORMAL_CLOSE_CODE = 1000;

/**
 * Opens a socket. If that fails, rejects with an error that does not name the cause, because a browser
 * hides the cause.
 */
export function openSocket(options: OpenSocketOptions): Promise<OpenSocket> {
  const { signal, timeoutMs } = options;
  const url = withoutQuery(options.url);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = createSocket(options);
    let state: "opening" | "open" | "done" = "opening";

    function settle(): boolean {
      if (state === "done") return false;
      state = "done";
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      return true;
    }
    function fail(reason: unknown): void {
      if (!settle()) return;
      closeQuietly(socket);
      reject(reason);
    }
    const abort = () => fail(signal.reason);
    const timer = setTimeout(
      () => fail(new TransportError("unreachable", `${url} did not answer in ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal.addEventListener("abort", abort);

    socket.addEventListener("open", () => {
      if (state !== "opening") return;
      state = "open";
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      resolve({
        send: (text) => socket.send(text),
        close() {
          state = "done";
          closeQuietly(socket);
        },
      });
    });
    socket.addEventListener("message", ({ data }) => {
      if (state === "open" && typeof data === "string") options.onText(data);
    });
    // The package `ws` throws if an error event has no listener. A close event follows and is handled below.
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", ({ code, reason }) => {
      if (state === "opening") {
        fail(new TransportError("unreachable", `the WebSocket ${url} cannot be opened`));
      } else if (state === "open") {
        state = "done";
        options.onClose(closeReason(code, reason), code);
      }
    });
  });
}

function createSocket({ WebSocket, url, protocols }: OpenSocketOptions): WebSocketLike {
  try {
    return new WebSocket(url, [...protocols]);
  } catch (cause) {
    // For example, a browser throws if a page from https opens an unencrypted socket.
    const address = withoutQuery(url);
    throw new TransportError("refused", `the WebSocket ${address} cannot be opened from here`, {
      cause,
    });
  }
}

// Removes the query of an address for error messages, because the query only has parameters of this client.
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, "");
}

function closeReason(code: number, detail: string): TransportError {
  const why = detail === "" ? "" : `: ${detail}`;
  // The reason is not `refused`, because the agent may accept the next socket.
  return new TransportError("closed", `the agent closed the WebSocket (${code}${why})`);
}

function closeQuietly(socket: WebSocketLike): void {
  try {
    socket.close(NORMAL_CLOSE_CODE);
  } catch {
    // Some implementations throw for a socket that is still opening, but close it anyway.
  }
}
