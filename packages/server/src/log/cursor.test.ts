import { expect, test } from "vitest";
import { createCursorCodec } from "./cursor.js";

test("a cursor is decoded only by the codec of its own session", () => {
  const session = { contextId: "c", createdAt: "2026-01-01" };
  const cursors = createCursorCodec(session);
  const others = [
    { ...session, contextId: "d" },
    { ...session, createdAt: "2026-01-02" },
  ];

  const position = { position: 123, epoch: 7 };
  const older = { position: 123, epoch: 0 };
  const cursor = cursors.encode(position);

  expect(cursors.decode(cursor)).toEqual(position);
  expect(cursors.decode(cursors.encode(older))).toEqual(older);
  expect(cursors.encode(older).split(".")).toHaveLength(2);
  expect(cursors.decode("0")).toEqual({ position: 0, epoch: 0 });
  for (const wrong of [
    ...others.map((other) => createCursorCodec(other).encode(position)),
    "123",
    "x",
    ` ${cursor}`,
    `${cursor}-`,
    `1.${cursor}`,
    `1${"0".repeat(15)}.${cursors.encode({ position: 1, epoch: 0 }).slice(2)}`,
  ])
    expect(() => cursors.decode(wrong)).toThrow(
      expect.objectContaining({ code: "cursor-not-found" }),
    );
});

test("the error for an unknown cursor quotes its first 64 characters", () => {
  const cursors = createCursorCodec({ contextId: "c", createdAt: "2026-01-01" });

  expect(() => cursors.decode("x".repeat(100))).toThrow(`the cursor "${"x".repeat(64)}" does not`);
});
