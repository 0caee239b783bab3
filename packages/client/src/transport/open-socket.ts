import { TransportError } from "../errors/transport-error.js";
import type { WebSocketConstructor, WebSocketLike } from "./web-socket.js";

/** A socket that is open. */
export interface OpenSocket {
  send(text: string): void;
  /** Closes it; nothing comes from it any more. */
  close(): void;
}

/** What to open, and whom to tell. */
export interface OpenSocketOptions {
  readonly WebSocket: WebSocketConstructor;
  readonly url: string;
  readonly protocols: readonly string[];
  /** How long the handshake may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onText(text: string): void;
  /** Called once, when an open socket is gone without our doing; with the code that it was closed with. */
  onClose(reason: TransportError, code: number): void;
}

/** Says goodbye for good. */
const NORMAL = 1000;

/** Opens a socket; rejects with what a browser cannot tell in more detail than "it did not open". */
export function openSocket(options: OpenSocketOptions): Promise<OpenSocket> {
  const { signal, timeoutMs } = options;
  const url = withoutQuery(options.url);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = createSocket(options);
    let state: "opening" | "open" | "done" = "opening";

    function leave(): boolean {
      if (state === "done") return false;
      state = "done";
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      return true;
    }
    function fail(reason: unknown): void {
      if (!leave()) return;
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
    // An error is always followed by a close, which says more.
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
    // A page that was served over https may not open a socket without encryption.
    const address = withoutQuery(url);
    throw new TransportError("refused", `the WebSocket ${address} may not be opened from here`, {
      cause,
    });
  }
}

// For people: what the query says is ours.
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, "");
}

function closeReason(code: number, said: string): TransportError {
  const why = said === "" ? "" : `: ${said}`;
  // Whether it will have this client again is seen when the next socket is opened.
  return new TransportError("closed", `the agent closed the WebSocket (${code}${why})`);
}

function closeQuietly(socket: WebSocketLike): void {
  try {
    socket.close(NORMAL);
  } catch {
    // A socket that is still opening throws in some implementations, and closes all the same.
  }
}
