import { readFileSync } from "node:fs";
import { StreamResponse } from "@a2a-js/sdk";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { expect, test } from "vitest";
import { createFrameEncoder } from "../../rpc/frames/frame-encoder.js";
import { GRPC_V1_0 } from "./grpc-v1-0.js";

const GOLDEN = new URL("../../../../schema/src/wire/canonical/golden/", import.meta.url);

/** Reads the frames of a golden file, without their cursors. */
function readFrames(name: string): object[] {
  const { turn, starts } = JSON.parse(readFileSync(new URL(name, GOLDEN), "utf8"));
  return [...turn, ...starts].flatMap(({ frames }) =>
    frames.map(({ cursor: _, ...frame }: { cursor?: string }) => frame),
  );
}

// Removes all fields that are false, because protobuf does not write default values such as `append: false`.
const withoutFalse = (json: unknown) =>
  JSON.parse(JSON.stringify(json, (_, value) => (value === false ? undefined : value)));

test.each(["v1-0-plain.json", "v1-0-development-tool.json", "v1-0-session.json"])(
  "every frame of %s is unchanged after protobuf encoding and decoding",
  (name) => {
    const encode = createFrameEncoder(GRPC_V1_0.encodeFrame);
    const frames = readFrames(name);

    const decoded = frames.map((frame) => {
      const bytes = encode({ json: JSON.stringify(frame) });
      return StreamResponse.toJSON(A2AService.subscribeToTask.responseDeserialize(bytes));
    });

    expect(frames.length).toBeGreaterThan(10);
    expect(withoutFalse(decoded)).toEqual(withoutFalse(frames));
  },
);

test("a recent frame is encoded only once for all subscribers", () => {
  const encoded: unknown[] = [];
  const encode = createFrameEncoder((json) => {
    encoded.push(json);
    return Buffer.alloc(1024);
  });
  const frameOf = (index: number) => ({ json: JSON.stringify({ index }) });

  const first = encode(frameOf(0));
  const again = encode(frameOf(0));
  for (let index = 1; index <= 2 * 1024; index += 1) encode(frameOf(index));
  encode(frameOf(0));

  expect(again).toBe(first);
  expect(encoded.filter((json) => (json as { index: number }).index === 0)).toHaveLength(2);
});

test("a large frame is not cached", () => {
  let count = 0;
  const encode = createFrameEncoder(() => {
    count += 1;
    return Buffer.alloc(1);
  });
  const frame = { json: JSON.stringify("x".repeat(70 * 1024)) };

  encode(frame);
  encode(frame);

  expect(count).toBe(2);
});
