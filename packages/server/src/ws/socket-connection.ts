import type { RawData, WebSocket } from "ws";
import { CLOSE_CODES } from "./close-codes.js";
import { unsentBytes } from "./unsent-bytes.js";

/** One open socket. */
export interface SocketConnection {
  /** Aborts when the socket has closed. */
  readonly signal: AbortSignal;
  /**
   * Sends a text frame, in the order of the calls. Returns a promise if the frame must wait for space in the buffer.
   * If `text` is a function, it is called when there is space, so that the text of a waiting frame needs no memory.
   */
  send(text: string | (() => string)): Promise<void> | undefined;
  /** Closes the socket after the buffered frames. Frames that still wait for buffer space are not sent. */
  close(code: number, reason: string): void;
  /** Closes the socket at once. */
  terminate(): void;
}

/** Options of {@link openSocketConnection}. */
export interface SocketOptions {
  /** Interval of pings. */
  readonly pingMs: number;
  /** Called with each text frame. The frame counts as being handled until the promise settles. */
  onText(text: string): Promise<void> | void;
}

/** Maximum number of buffered bytes. At the limit, senders must wait. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** Upper bound of the size of a frame's header. */
const FRAME_HEAD_BYTES = 64;
/**
 * Maximum number of frames that are being handled. A frame that starts a stream counts until the stream ends.
 * At the limit, no further frame is read.
 */
const MAX_UNDER_WAY = 512;

/** Number of unanswered pings after which a client that does not read is disconnected. */
const UNANSWERED_PINGS = 2;

/**
 * Opens the connection of an accepted socket. The socket is closed if the client answers no ping and reads nothing. A
 * client that still reads a large frame stays connected, because it cannot see a ping behind the frame. After only one
 * missing answer, the socket stays open, because a busy server may not have read the answer yet.
 */
export function openSocketConnection(ws: WebSocket, options: SocketOptions): SocketConnection {
  const closed = new AbortController();
  let unanswered = 0;
  let underWay = 0;
  const waiting: { readonly text: string | (() => string); resolve(): void }[] = [];

  // Handles a frame. At the limit, no further frame is read, because a client that reads no answers would otherwise
  // use more and more memory.
  async function handleText(text: string): Promise<void> {
    underWay += 1;
    if (underWay >= MAX_UNDER_WAY) ws.pause();
    try {
      await options.onText(text);
    } finally {
      underWay -= 1;
      if (underWay < MAX_UNDER_WAY / 2 && ws.isPaused) ws.resume();
    }
  }

  function write(text: string | (() => string)): void {
    const frame = typeof text === "string" ? text : text();
    // A UTF-16 unit takes at most three bytes. Only a frame that may fill the buffer gets a callback, because a
    // callback for every frame would cost more than sending it.
    const mayFill = ws.bufferedAmount + 3 * frame.length + FRAME_HEAD_BYTES >= MAX_BUFFERED_BYTES;
    if (mayFill) ws.send(frame, writeWaiting);
    else ws.send(frame);
  }

  function writeWaiting(): void {
    while (waiting.length > 0) {
      if (ws.readyState === ws.OPEN && ws.bufferedAmount >= MAX_BUFFERED_BYTES) return;
      const next = waiting.shift();
      if (ws.readyState === ws.OPEN) write(next?.text ?? "");
      next?.resolve();
    }
  }

  let unsent = 0;
  const pinging = setInterval(() => {
    const unsentBefore = unsent;
    unsent = unsentBytes(ws);
    if (unanswered >= UNANSWERED_PINGS && unsent === unsentBefore) return ws.terminate();
    unanswered += 1;
    ws.ping();
  }, options.pingMs);
  ws.on("pong", () => {
    unanswered = 0;
  });
  answerPings(ws);
  ws.on("message", (data: RawData, isBinary: boolean) => {
    unanswered = 0;
    // Frames that arrive after the close has begun are ignored.
    if (ws.readyState !== ws.OPEN) return;
    if (isBinary) ws.close(CLOSE_CODES.notText, "only text frames are supported");
    else void handleText(data.toString());
  });
  // The library closes the socket with the right code. Without this listener, Node would throw the error.
  ws.on("error", () => {});
  ws.on("close", () => {
    clearInterval(pinging);
    closed.abort();
    writeWaiting();
  });

  return {
    signal: closed.signal,
    send(text) {
      if (ws.readyState !== ws.OPEN) return undefined;
      if (waiting.length === 0 && ws.bufferedAmount < MAX_BUFFERED_BYTES) {
        write(text);
        return undefined;
      }
      return new Promise<void>((resolve) => waiting.push({ text, resolve }));
    },
    close: (code, reason) => ws.close(code, reason),
    terminate: () => ws.terminate(),
  };
}

/**
 * Answers pings with one pong at a time. While a pong waits for the client, only the newest ping is kept and answered
 * next. (RFC 6455, 5.5.3)
 */
function answerPings(ws: WebSocket): void {
  let isSending = false;
  let newest: Buffer | undefined;
  ws.on("ping", (data) => {
    newest = data;
    if (!isSending) sendPong();
  });

  function sendPong(): void {
    const data = newest;
    newest = undefined;
    isSending = data !== undefined && ws.readyState === ws.OPEN;
    if (isSending) ws.pong(data, false, sendPong);
  }
}
