import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { StreamFrame } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { sendSse } from "./sse-response.js";

test("frames of any size and in any alphabet arrive complete and in order", async () => {
  const frames = Array.from({ length: 400 }, (_, index): StreamFrame => {
    const json = JSON.stringify(["a", "ä", "語", "😀"][index % 4]?.repeat((index * 37) % 900));
    const named = index % 5 === 0 ? { json, event: `name-${index}` } : { json };
    return index % 3 === 0 ? named : { ...named, cursor: String(index) };
  });
  const huge = { json: JSON.stringify("語".repeat(100_000)), cursor: "huge", event: "huge" };
  const batches = [frames.slice(0, 1), frames.slice(1, 300), [huge], [], frames.slice(300)];

  const expected = batches.flat().map(({ json, cursor, event }) => {
    const id = cursor === undefined ? "" : `id: ${cursor}\n`;
    const name = event === undefined ? "" : `event: ${event}\n`;
    return `${id}${name}data: <${json}>\n\n`;
  });
  expect(await receive(batches)).toBe(`: open\n\n${expected.join("")}`);
});

async function receive(batches: readonly (readonly StreamFrame[])[]): Promise<string> {
  const server = createServer((_, response) => {
    const { signal } = new AbortController();
    void sendSse(response, { batches: each(batches), signal, prefix: "<", suffix: ">" });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await (await fetch(`http://127.0.0.1:${port}/`)).text();
  } finally {
    server.close();
  }
}

async function* each<TItem>(items: readonly TItem[]): AsyncGenerator<TItem> {
  yield* items;
}
