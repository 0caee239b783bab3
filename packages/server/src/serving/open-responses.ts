import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { isWithinFrame, STREAM_BEGINS } from "../http/sse-response.js";

/** The responses that are under way. */
export interface OpenResponses {
  readonly middleware: RequestHandler;
  /** How many of them are streams of events. */
  readonly streams: number;
  /**
   * Breaks off every stream of events after a hint to reconnect; resolves when that is sent, and so is
   * every answer that was given.
   */
  end(): Promise<void>;
}

/** What a stream says last. A client goes on from the last id that it saw. */
const FAREWELL = "retry: 1000\n: the server is stopping; reconnect to go on from the last id\n\n";

/**
 * Keeps count of responses. A stream that ends here has not come to its end, so it is broken off, not
 * finished: nobody takes it for one.
 */
export function createOpenResponses(onStreamsChange: () => void = () => {}): OpenResponses {
  const open = new Set<ServerResponse>();
  const streams = new Set<ServerResponse>();

  function end(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      response.once("close", resolve);
      // Half a frame is worth nothing to its reader, and a farewell inside of one would end it.
      if (isWithinFrame(response)) response.destroy();
      else response.write(FAREWELL, () => response.destroy());
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
    get streams() {
      return streams.size;
    },
    async end() {
      const answers = [...open].filter(({ writableEnded }) => writableEnded);
      await Promise.all([...[...open].filter(isStream).map(end), ...answers.map(sent)]);
    },
  };
}

async function sent(response: ServerResponse): Promise<void> {
  if (!response.closed) await once(response, "close");
}

function isStream(response: ServerResponse): boolean {
  const type = String(response.getHeader("Content-Type") ?? "");
  return type.startsWith("text/event-stream") && !response.writableEnded;
}
