import { once } from "node:events";
import WebSocket, { type ClientOptions } from "ws";

/** A raw WebSocket client that stores all frames it receives. */
export interface WsClient extends Disposable {
  readonly ws: WebSocket;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  readonly frames: readonly any[];
  send(json: unknown): void;
  /** Waits for the first matching frame. The frame may have arrived already. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  until(fits: (frame: any) => boolean): Promise<any>;
  /** Waits for a stream to end or fail. Resolves with the frames of its request id, without the end frame. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  stream(id: string | number): Promise<any[]>;
  /** The close code and reason of the socket. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a socket, by default with the subprotocol `dt.a2a.v1`. */
export async function openWsClient(
  url: string,
  { protocol = "dt.a2a.v1", ...options }: ClientOptions & { readonly protocol?: string } = {},
): Promise<WsClient> {
  const ws = new WebSocket(url, protocol === "" ? [] : [protocol], options);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  const frames: any[] = [];
  const waiting = new Set<() => void>();
  ws.on("message", (data) => {
    frames.push(JSON.parse(data.toString()));
    for (const check of [...waiting]) check();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(ws, "open");

  const until: WsClient["until"] = (fits) =>
    new Promise((resolve, reject) => {
      // Each frame is checked only once, because a test may receive thousands of frames.
      let checked = 0;
      const check = () => {
        while (checked < frames.length) {
          const frame = frames[checked];
          checked += 1;
          if (!fits(frame)) continue;
          waiting.delete(check);
          resolve(frame);
          return;
        }
      };
      waiting.add(check);
      closed.then(({ code }) => reject(new Error(`closed with ${code} before a matching frame`)));
      check();
    });

  return {
    ws,
    frames,
    closed,
    until,
    send: (json) => ws.send(typeof json === "string" ? json : JSON.stringify(json)),
    async stream(id) {
      await until((frame) => isEnd(frame, id) || (frame.id === id && "error" in frame));
      return frames.filter((frame) => frame.id === id);
    },
    [Symbol.dispose]: () => ws.terminate(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
function isEnd(frame: any, id: string | number): boolean {
  return frame.method === "$/end" && frame.params.id === id;
}

/** Resolves with the HTTP status of a refused upgrade. */
export async function refusedWith(
  url: string,
  { protocol = "dt.a2a.v1", ...options }: ClientOptions & { readonly protocol?: string } = {},
): Promise<number | undefined> {
  const ws = new WebSocket(url, protocol === "" ? [] : [protocol], options);
  ws.on("error", () => {});
  const [, response] = await once(ws, "unexpected-response");
  ws.terminate();
  return response.statusCode;
}

export function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
export async function jsonOf(response: Response): Promise<any> {
  return await response.json();
}
