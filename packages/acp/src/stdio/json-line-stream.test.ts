import type { AnyMessage } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type LineLimits, openJsonLines } from "./json-line-stream.js";

const LIMITS: LineLimits = { maxLineBytes: 200, maxPendingRequests: 2 };
const encoder = new TextEncoder();

/** Passes chunks to a stream; returns the messages that it read and the lines that it wrote. */
async function exchange(chunks: readonly (string | Uint8Array)[], answers: AnyMessage[] = []) {
  const written: unknown[] = [];
  const stream = openJsonLines(
    {
      input: new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks)
            controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
          controller.close();
        },
      }),
      output: new WritableStream<Uint8Array>({
        write: (bytes) => void written.push(JSON.parse(new TextDecoder().decode(bytes))),
      }),
    },
    LIMITS,
  );
  const read: AnyMessage[] = [];
  const writer = stream.writable.getWriter();
  for await (const message of stream.readable) {
    read.push(message);
    const answer = answers.shift();
    if (answer !== undefined) await writer.write(answer);
  }
  return { read, written };
}

const request = (id: number) => ({ jsonrpc: "2.0" as const, id, method: "m" });
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const errorOf = (id: unknown, code: number) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: expect.any(String) },
});

test("messages are read even if each byte is a chunk, and the last line needs no line break", async () => {
  const bytes = encoder.encode(`${line(request(1))}\r\n\n${JSON.stringify(request(2))}`);
  const chunks = [...bytes].map((byte) => Uint8Array.of(byte));

  expect(await exchange(chunks)).toEqual({ read: [request(1), request(2)], written: [] });
});

test.each([
  ["text", "hello\n", null, -32700],
  ["a list", "[{}]\n", null, -32600],
  ["a number", "1\n", null, -32600],
  ["a list that is not closed", `${"[".repeat(150)}\n`, null, -32700],
  ["a deep request", line({ ...request(5), params: deep(60) }), 5, -32600],
  ["a long request", line({ ...request(7), params: "x".repeat(300) }), 7, -32600],
  ["a long line without an id", `${"x".repeat(300)}\n`, null, -32600],
])("%s is answered with an error, and the next line is read", async (_, bad, id, code) => {
  const { read, written } = await exchange([bad, line(request(1))]);

  expect({ read, written }).toEqual({ read: [request(1)], written: [errorOf(id, code)] });
});

test("an answer that is too long or too deep fails the request that it answers", async () => {
  const { read, written } = await exchange([
    line({ jsonrpc: "2.0", id: 3, result: "x".repeat(300) }),
    line({ jsonrpc: "2.0", id: "a", result: deep(60) }),
  ]);

  expect(read).toEqual([errorOf(3, -32600), errorOf("a", -32600)]);
  expect(written).toEqual([]);
});

test("a request is refused while too many others wait, and accepted after one is answered", async () => {
  const refused = await exchange([1, 2, 3].map((id) => line(request(id))));
  const answered = await exchange(
    [1, 2, 3].map((id) => line(request(id))),
    [{ jsonrpc: "2.0", id: 1, result: {} }],
  );

  expect(refused).toEqual({ read: [request(1), request(2)], written: [errorOf(3, -32600)] });
  expect(answered.read).toEqual([1, 2, 3].map(request));
});

function deep(levels: number): unknown {
  return levels === 0 ? 0 : [deep(levels - 1)];
}
