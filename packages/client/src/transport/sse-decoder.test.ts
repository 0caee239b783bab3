import { expect, test } from "vitest";
import { decodeSse, type SseEvent } from "./sse-decoder.js";

async function decode(chunks: readonly Uint8Array[]): Promise<SseEvent[]> {
  async function* bytes() {
    yield* chunks;
  }
  const events: SseEvent[] = [];
  for await (const event of decodeSse(bytes())) events.push(event);
  return events;
}

const encoder = new TextEncoder();

test("decoded events do not depend on how the bytes are cut into chunks [LOG-02]", async () => {
  const text =
    ': heartbeat\n\nid: 1.a\ndata: {"snow":"\u2603"}\n\ndata: one\r\ndata:two\r\n\r\nid: 2.a\ndata: x\n\n';
  const bytes = encoder.encode(text);
  const whole = await decode([bytes]);

  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await decode([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
  }
  expect(await decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  expect(whole).toEqual([
    { id: "1.a", data: '{"snow":"\u2603"}' },
    { id: "1.a", data: "one\ntwo" },
    { id: "2.a", data: "x" },
  ]);
});

test("an event that is cut off is ignored", async () => {
  expect(await decode([encoder.encode("data: whole\n\ndata: hal")])).toEqual([
    { id: undefined, data: "whole" },
  ]);
});
