import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { isWithinFrame, STREAM_BEGINS } from "../../http/sse-response.js";

/** The responses that are not finished yet. */
export interface OpenResponses {
  readonly middleware: RequestHandler;
  /** Number of responses that are streams of events. */
  readonly streamCount: number;
  /**
   * Aborts every stream after a hint to reconnect. Resolves when the hints and all complete answers are sent.
   */
  end(): Promise<void>;
}

/** Last text of a stream. The client reconnects and resumes after the last id that it saw. */
const RECONNECT_HINT =
  "retry: 1000\n: the server is stopping; reconnect to resume after the last id\n\n";

/**
 * Creates an empty list of responses. `end` aborts a stream instead of finishing it, so that its client does not
 * regard the stream as complete.
 */
export function createOpenResponses(onStreamsChange: () => void = () => {}): OpenResponses {
  const open = new Set<ServerResponse>();
  const streams = new Set<ServerResponse>();

  function end(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      response.once("close", resolve);
      // Within a frame, the hint would become part of the frame, so the response is aborted without it.
      if (isWithinFrame(response)) response.destroy();
      else response.write(RECONNECT_HINT, () => response.destroy());
    });
  }

  return {
    middleware(_request, response, next) {
      open.add(response);
      response.once(STREAM_BEGINS, () => {
        streams.add(response);
        onStreamsChange();
      });
      response.once("close", () => {
        open.delete(response);
        if (streams.delete(response)) onStreamsChange();
      });
      next();
    },
    get streamCount() {
      return streams.size;
    },
    async end() {
      const answers = [...open].filter(({ writableEnded }) => writableEnded);
      await Promise.all([...[...open].filter(isStream).map(end), ...answers.map(waitUntilSent)]);
    },
  };
}

async function waitUntilSent(response: ServerResponse): Promise<void> {
  if (!response.closed) await once(response, "close");
}

function isStream(response: ServerResponse): boolean {
  const type = String(response.getHeader("Content-Type") ?? "");
  return type.startsWith("text/event-stream") && !response.writableEnded;
}
