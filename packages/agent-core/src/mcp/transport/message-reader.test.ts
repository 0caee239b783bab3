import { Readable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { createMessageReader } from "./message-reader.js";

async function readAll(chunks: readonly string[]) {
  const messages: JSONRPCMessage[] = [];
  const reader = createMessageReader((message) => void messages.push(message));
  await reader.read(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
  await new Promise((resolve) => setImmediate(resolve));
  return { messages, stray: reader.stray };
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
const pong = { jsonrpc: "2.0", id: 1, result: {} } as const;

test("messages are delivered in order, wherever the output is split", async () => {
  const text = `${JSON.stringify(ping)}\n${JSON.stringify(pong)}\n`;

  const read = await readAll([text.slice(0, 5), text.slice(5, 60), text.slice(60)]);

  expect(read).toEqual({ messages: [ping, pong], stray: "" });
});

test("lines that are not messages become stray output", async () => {
  const read = await readAll([`starting\n${JSON.stringify(ping)}\nready\n`]);

  expect(read).toEqual({ messages: [ping], stray: "starting\nready" });
});

test("an unfinished message is not delivered", async () => {
  expect(await readAll([JSON.stringify(ping)])).toEqual({ messages: [], stray: "" });
});
