import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { jsonAnswer, type ModelStandInStep, type StandInAnswer } from "./stand-in-answer.js";

/** A request that a stand-in received. */
export interface StandInRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body. */
  readonly body: unknown;
  /**
   * Resolves when the connection closes. The value is true if the client disconnected before the end of the
   * answer.
   */
  readonly isAbandoned: Promise<boolean>;
}

/** An answer, or a function that builds the answer to a request. */
export type ScriptedStandInAnswer = StandInAnswer | ((request: StandInRequest) => StandInAnswer);

/** A local server that imitates a model vendor. Dispose of it with `await using`. */
export interface ModelStandIn extends AsyncDisposable {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  /** All requests that the server received, in order. */
  readonly requests: readonly StandInRequest[];
}

/** Options of {@link openModelStandIn}. */
export interface ModelStandInOptions {
  /** Matches the requests that the server answers. Any other request gets a 404. */
  readonly route: RegExp;
  /** One answer for each matching request, in order. When no answer is left, a request gets a 400. */
  readonly answers: readonly ScriptedStandInAnswer[];
}

/** Starts a server on 127.0.0.1 that plays a script of answers. */
export async function openModelStandIn(options: ModelStandInOptions): Promise<ModelStandIn> {
  const requests: StandInRequest[] = [];
  let answered = 0;

  const answerFor = (request: StandInRequest): StandInAnswer => {
    if (!options.route.test(`${request.method} ${request.path}`)) {
      return jsonAnswer(404, { error: { message: `no such route: ${request.path}` } });
    }
    const answer = options.answers[answered] ?? SCRIPT_ENDED;
    answered += 1;
    return typeof answer === "function" ? answer(request) : answer;
  };

  const server = createServer(async (incoming, outgoing) => {
    const request = await receive(incoming, outgoing);
    requests.push(request);
    await play(answerFor(request), outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const SCRIPT_ENDED = jsonAnswer(400, { error: { message: "the stand-in has no more answers" } });

async function receive(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<StandInRequest> {
  const isAbandoned = once(outgoing, "close").then(() => !outgoing.writableFinished);
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    body: JSON.parse(Buffer.concat(pieces).toString() || "null"),
    isAbandoned,
  };
}

async function play(answer: StandInAnswer, outgoing: ServerResponse): Promise<void> {
  outgoing.socket?.setNoDelay(true);
  outgoing.writeHead(answer.status ?? 200, { ...answer.headers });
  outgoing.flushHeaders();
  for (const step of answer.steps) {
    if (outgoing.destroyed) return;
    await playStep(step, outgoing);
  }
  outgoing.end();
}

async function playStep(step: ModelStandInStep, outgoing: ServerResponse): Promise<void> {
  switch (step.type) {
    case "send":
      await new Promise<void>((resolve) => outgoing.write(step.bytes, () => resolve()));
      // Lets the client read this piece separately.
      return await setImmediate();
    case "flood":
      while (!outgoing.destroyed) {
        await new Promise<void>((resolve) => outgoing.write(step.bytes, () => resolve()));
      }
      return;
    case "wait": {
      const gone = once(outgoing, "close");
      const over =
        typeof step.until === "number"
          ? setTimeout(step.until, undefined, { ref: false })
          : step.until;
      await Promise.race([over, gone]);
      return;
    }
    case "break":
      outgoing.destroy();
  }
}
