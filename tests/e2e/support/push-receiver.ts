import { type ChildProcess, fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { EventEmitter, once } from "node:events";
import path from "node:path";

const program = path.resolve(import.meta.dirname, "push-receiver.mjs");

/** A named behaviour of the receiver, or a status code with an optional Location or Retry-After value. */
export type Behaviour = string;

/** A request that the receiver got. */
export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  readonly json: any;
  readonly behaviour: Behaviour;
  /** The client's port, which identifies the connection. */
  readonly connection: number;
  readonly cursor: string;
  readonly delivery: string;
  readonly attempt: number;
  /** Arrival time, in milliseconds of the wall clock. */
  readonly at: number;
}

/** A push receiver in a child process. */
export interface PushReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All received requests, including requests from before a restart. */
  readonly received: readonly Received[];
  /** Requests that got a success status. A repeated delivery is listed once. */
  accepted(): readonly Received[];
  /** Queues one behaviour for each of the next requests. All later requests get 200. */
  answerWith(...behaviours: readonly Behaviour[]): void;
  /** Waits until a condition is true. It is checked after each request. */
  until(holds: () => boolean): Promise<void>;
  /** Kills the process, like a crash. */
  kill(): Promise<void>;
  /** Starts the process again at the same address. */
  start(): Promise<void>;
}

const ACCEPTED_BY = new Set<Behaviour>(["ok", "slow", "close", "half-body"]);

export async function openPushReceiver(): Promise<PushReceiver> {
  const received: Received[] = [];
  const news = new EventEmitter().setMaxListeners(0);
  let child: ChildProcess | undefined;
  let port = 0;

  async function start(): Promise<void> {
    child = fork(program, [String(port)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const [listening] = await once(child, "message");
    port = listening.port;
    child.on("message", (message) => {
      const request = message as Omit<Received, "json" | "cursor" | "delivery" | "attempt" | "at">;
      received.push({
        ...request,
        json: JSON.parse(request.body),
        cursor: request.headers["x-dt-cursor"] ?? "",
        delivery: request.headers["x-dt-delivery"] ?? "",
        attempt: Number(request.headers["x-dt-attempt"]),
        at: Date.now(),
      });
      news.emit("request");
    });
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  await start();
  return {
    port,
    received,
    url: `http://127.0.0.1:${port}/hook`,
    accepted() {
      const accepted = received.filter(({ behaviour }) => ACCEPTED_BY.has(behaviour));
      return [...new Map(accepted.map((request) => [request.delivery, request])).values()];
    },
    answerWith: (...behaviours) => void child?.send(behaviours),
    async until(holds) {
      while (!holds()) await once(news, "request");
    },
    kill,
    start,
    [Symbol.asyncDispose]: kill,
  };
}

/** Returns true if the key signed a request's body and time, and that time is close to its arrival. */
export function isSigned({ headers, body, at }: Received, key: string): boolean {
  const [time = "", mac = ""] = (headers["x-dt-signature"] ?? "").split(",");
  const seconds = time.replace("t=", "");
  const expected = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return mac === `v1=${expected}` && Math.abs(at / 1_000 - Number(seconds)) < 60;
}
