import { expect, test } from "vitest";
import { createUnfinishedBytes } from "./unfinished-bytes.js";

test("the largest incomplete message is dropped if the total size exceeds the limit [SEC-09]", () => {
  const unfinished = createUnfinishedBytes(100);
  const dropped: string[] = [];
  const [small, large, late] = ["small", "large", "late"].map((name) =>
    unfinished.open(() => dropped.push(name)),
  );

  small?.set(10);
  large?.set(60);
  late?.set(30);
  expect([dropped, unfinished.total]).toEqual([[], 100]);
  late?.set(31);
  expect([dropped, unfinished.total]).toEqual([["large"], 41]);

  large?.set(90);
  late?.close();
  small?.set(0);
  expect([dropped, unfinished.total]).toEqual([["large"], 0]);
});

test("a single message that is larger than the limit is dropped [SEC-09]", () => {
  const unfinished = createUnfinishedBytes(100);
  const dropped: string[] = [];
  const [first, second] = ["first", "second"].map((name) =>
    unfinished.open(() => dropped.push(name)),
  );

  first?.set(60);
  second?.set(50);
  second?.set(101);

  expect([dropped, unfinished.total]).toEqual([["first", "second"], 0]);
});
