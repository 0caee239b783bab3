import type { Readable } from "node:stream";
import { setImmediate as pause } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { DEFAULT_MESSAGE_LIMITS } from "../bounds/message-limits.js";
import { parseRpcLine, toRefusal } from "../bounds/parse-rpc-line.js";
import { createRpcLineReader, type RpcLine } from "../bounds/rpc-line-reader.js";
import { createTextTail } from "./text-tail.js";

/** Reads MCP messages from the output of a program. */
export interface MessageReader {
  /** Reads to the end of the output; throws {@link RangeError} if a line exceeds `maxSkippedBytes`. */
  read(stdout: Readable): Promise<void>;
  /** The last lines that are not MCP messages. */
  readonly stray: string;
}

/** Number of lines between two pauses. Without pauses, a chunk of many lines would block the event loop. */
const LINES_AT_A_TIME = 100;

const STRAY_LENGTH = 200;

/** Creates a reader that delivers one message at a time. */
export function createMessageReader(onMessage: (message: JSONRPCMessage) => void): MessageReader {
  const stray = createTextTail(STRAY_LENGTH);
  const lineReader = createRpcLineReader(DEFAULT_MESSAGE_LIMITS);
  let delivered: Promise<void> = Promise.resolve();

  function receive(line: RpcLine): void {
    const message = "text" in line ? parseRpcLine(line.text) : toRefusal(line);
    if (message === undefined) {
      const text = "text" in line ? line.text.slice(0, STRAY_LENGTH) : `a line ${line.fault}`;
      stray.push(`${text}\n`);
      return;
    }
    // The SDK handles progress asynchronously. An answer that is delivered at once would overtake the progress.
    delivered = delivered.then(() => onMessage(message));
  }

  return {
    get stray() {
      return stray.text;
    },
    async read(stdout) {
      let count = 0;
      for await (const chunk of stdout) {
        for (const line of lineReader.push(chunk)) {
          receive(line);
          count += 1;
          if (count % LINES_AT_A_TIME === 0) await pause();
        }
      }
    },
  };
}
