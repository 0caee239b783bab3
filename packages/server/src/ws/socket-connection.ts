import type { RawData, WebSocket } from "ws";
import { closeCodes } from "./close-codes.js";
import { unsentBytes } from "./unsent-bytes.js";

/** One socket, as those who speak over it see it. */
export interface SocketConnection {
  /** Aborts when the socket has closed. */
  readonly signal: AbortSignal;
  /**
   * Sends a text frame, in the order of the calls; a promise where it has to wait for room. A function
   * writes its text only when there is room for it, so that answers that wait cost nothing yet.
   */
  send(text: string | (() => string)): Promise<void> | undefined;
  /** Says goodbye; what was sent before still arrives. */
  close(code: number, reason: string): void;
  /** Ends it without a goodbye. */
  terminate(): void;
}

/** How a socket is kept. */
export interface SocketOptions {
  /** How often it must show that it is alive. */
  readonly pingMs: number;
  /** Takes a frame; where it gives a promise, the frame counts as under way until that settles. */
  onText(text: string): Promise<void> | void;
}

/** How much may wait to be sent before those who send are held back. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** More than stands before a frame on the wire. */
const FRAME_HEAD_BYTES = 64;
/** How many frames of one socket may be under way, streams included, before no more are read. */
const MAX_UNDER_WAY = 512;

/** A peer that left so many pings unanswered is gone, unless it still reads what was sent. */
const UNANSWERED_PINGS = 2;

/**
 * Takes over an accepted socket, and ends it when its peer answers no ping and reads nothing. A peer that still
 * reads a large frame cannot answer a ping behind it. One unanswered ping is not enough, because a server
 * that was held up has not read the answer yet.
 */
export function openSocketConnection(ws: WebSocket, options: SocketOptions): SocketConnection {
  const closed = new AbortController();
  let unanswered = 0;
  let underWay = 0;
  const waiting: { readonly text: string | (() => string); resolve(): void }[] = [];

  // Whoever sends without reading is not read either: what it costs stays what it is.
  async function take(text: string): Promise<void> {
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
    // A character takes three bytes at most. Only a frame that may fill the socket needs to say when
    // it has left, or when the socket is gone: a callback for each would cost more than the rest.
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
    // Frames may follow until the client has read the goodbye; nobody waits for their answers.
    if (ws.readyState !== ws.OPEN) return;
    if (isBinary) ws.close(closeCodes.notText, "only text frames are spoken here");
    else void take(data.toString());
  });
  // The library closes the socket with a fitting code by itself.
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

/** Answers pings, one pong at a time: whoever does not read them gets only the newest. (RFC 6455, 5.5.3) */
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
