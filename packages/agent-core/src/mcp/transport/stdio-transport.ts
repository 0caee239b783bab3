import type { Readable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { McpFailure } from "../mcp-failure.js";
import { createMessageReader } from "./message-reader.js";
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from "./server-process.js";

/** A transport to a program over its standard input and output. */
export interface StdioTransport extends Transport {
  /** Exit code or signal, and the last output on standard error; undefined while the program runs. */
  readonly ending: string | undefined;
  /** The last lines on standard output that are not MCP messages. */
  readonly strayOutput: string;
}

/**
 * Creates a transport that starts a program and speaks MCP with it.
 *
 * The SDK's own transport leaves the program's children running, and buffers a line of any length. Here a
 * message beyond the limits fails the call that it answers, and a line that never ends stops the program.
 * Closing ends the program and everything that it started.
 */
export function createStdioTransport(options: ServerProcessOptions): StdioTransport {
  const messages = createMessageReader((message) => transport.onmessage?.(message));
  let server: ServerProcess | undefined;

  const transport: StdioTransport = {
    get ending() {
      return server?.ending;
    },
    get strayOutput() {
      return messages.stray;
    },
    async start() {
      const wrapped = await options.sandbox?.wrap({ ...options, file: options.command });
      const program =
        wrapped === undefined ? options : { ...options, command: wrapped.file, args: wrapped.args };
      server = startServerProcess(program, {
        onStdout: (stdout) => void receive(stdout),
        onError: (error) => transport.onerror?.(error),
        onEnded: () => transport.onclose?.(),
      });
      await server.started;
    },
    async send(message) {
      if (server === undefined) throw new McpFailure("is not running");
      await server.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      await server?.close();
    },
  };
  return transport;

  async function receive(stdout: Readable): Promise<void> {
    try {
      await messages.read(stdout);
    } catch (reason) {
      // An error that is not a RangeError is ignored: the stream was destroyed, because the program ended.
      if (reason instanceof RangeError) server?.kill(`it wrote ${reason.message}`);
    }
  }
}
