import { type ChildProcess, fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { EventEmitter, once } from "node:events";
import path from "node:path";

const program = path.resolve(import.meta.dirname, "push-receiver.mjs");

/** How a request is answered: a word of the receiver's, or a status with where to go or how long to wait. */
export type Behaviour = string;

/** A request as the receiver got it. */
export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  readonly json: any;
  readonly behaviour: Behaviour;
  /** Tells connections apart. */
  readonly connection: number;
  readonly cursor: string;
  readonly delivery: string;
  readonly attempt: number;
  /** Milliseconds of the wall clock when it arrived. */
  readonly at: number;
}

/** A receiver of pushes in a process of its own. */
export interface PushReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All that it received, over all its lives. */
  readonly received: readonly Received[];
  /** Those that it answered with yes, each delivery once. */
  accepted(): readonly Received[];
  /** Says how the next requests are answered; those after them get 200. */
  answerWith(...behaviours: readonly Behaviour[]): void;
  /** Waits until something holds, looking whenever a request has come. */
  until(holds: () => boolean): Promise<void>;
  /** Ends it, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
}

const acceptedBy = new Set<Behaviour>(["ok", "slow", "close", "half-body"]);

/** Starts a receiver. */
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
      const taken = received.filter(({ behaviour }) => acceptedBy.has(behaviour));
      return [...new Map(taken.map((request) => [request.delivery, request])).values()];
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

/** Whether a request carries the signature that its time and body must have. */
export function isSigned({ headers, body, at }: Received, key: string): boolean {
  const [time = "", mac = ""] = (headers["x-dt-signature"] ?? "").split(",");
  const seconds = time.replace("t=", "");
  const expected = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return mac === `v1=${expected}` && Math.abs(at / 1_000 - Number(seconds)) < 60;
}
