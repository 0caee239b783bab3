import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import spawn from "cross-spawn";
import { sleep } from "../../model/retry/sleep.js";
import { openProcessTree } from "../../workspace/processes/process-tree.js";
import { McpFailure } from "../mcp-failure.js";
import { createMessageReader } from "./message-reader.js";
import { createTextTail } from "./text-tail.js";

/** A program that speaks MCP, and how to start it. */
export interface StdioTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

/** A transport that knows what became of its program. */
export interface StdioTransport extends Transport {
  /** How the program ended and the last it said on standard error; undefined while it runs. */
  readonly ending: string | undefined;
  /** The last that the program said where only MCP belongs. */
  readonly strayOutput: string;
}

const tailLength = 2_000;
const patienceMs = 1_000;

/**
 * Speaks MCP with a program over its standard input and output.
 *
 * The SDK's own transport leaves the program's children running and fills memory with a line that
 * never ends. Here a line beyond the limits fails the call that it answers, and one without end the
 * program. Closing asks the program to end, then ends it with everything that it started.
 */
export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const stderr = createTextTail(tailLength);
  const messages = createMessageReader((message) => transport.onmessage?.(message));
  const marker = `DT_PROCESS_${randomUUID().replaceAll("-", "")}`;
  let child: ChildProcess | undefined;
  let swept: Promise<unknown> | undefined;
  let ending: string | undefined;
  let ended: Promise<void> = Promise.resolve();

  const transport: StdioTransport = {
    get ending() {
      return ending;
    },
    get strayOutput() {
      return messages.stray;
    },
    async start() {
      const { command, args, environment, directory } = options;
      child = spawn(command, [...args], {
        cwd: directory,
        env: { ...environment, [marker]: "1" },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
      });
      child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
      if (child.stdout !== null) void receive(child.stdout);
      child.stdin?.on("error", (error) => transport.onerror?.(error));
      ended = watchEnd(child);
      await spawned(child, options);
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child?.stdin?.writable !== true) return reject(new McpFailure("is not running"));
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
    async close() {
      if (child === undefined) return;
      child.stdin?.end();
      await endsWithin(patienceMs);
      await sweep(patienceMs);
      await ended;
    },
  };
  return transport;

  async function receive(stdout: Readable): Promise<void> {
    try {
      await messages.read(stdout);
    } catch (reason) {
      // Any other error means that the stream was destroyed, because the program has ended.
      if (!(reason instanceof RangeError)) return;
      stderr.push(`\nit wrote ${reason.message}`);
      void sweep(0);
    }
  }

  // Ends everything that the program started, once: later its number may be another's.
  async function sweep(graceMs: number): Promise<void> {
    const pid = child?.pid;
    if (pid === undefined) return;
    // Where the system does not let us look, what can be ended by name is: the program itself.
    swept ??= openProcessTree({ pid, marker })
      .end({ graceMs })
      .catch(() => child?.kill("SIGKILL"));
    await swept;
  }

  // A program that has ended takes its children along, which also closes the pipes they hold.
  function watchEnd(started: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        if (ending !== undefined) return;
        started.stdout?.destroy();
        started.stderr?.destroy();
        ending = stderr.text === "" ? how : `${how}; its last words: ${stderr.text}`;
        resolve();
        transport.onclose?.();
      };
      started.once("error", () => started.pid === undefined && end("could not be started"));
      started.once("exit", (code, signal) => {
        void sweep(0);
        const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
        // A child that hides from us may hold the pipes for ever.
        const patience = new AbortController();
        started.once("close", () => patience.abort());
        void sleep(patienceMs, patience.signal).then(() => end(how));
      });
    });
  }

  async function endsWithin(ms: number): Promise<void> {
    const patience = new AbortController();
    await Promise.race([ended, sleep(ms, patience.signal)]);
    patience.abort();
  }
}

function spawned(child: ChildProcess, { command, directory }: StdioTransportOptions) {
  return new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const what =
        cause.code === "ENOENT" ? `there is no ${command}, or no such directory` : cause.message;
      const message = `could not be started in ${directory}: ${what}`;
      reject(new McpFailure(message, { cause, isFinal: true }));
    });
  });
}
