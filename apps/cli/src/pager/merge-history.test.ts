import type { ItemEvent } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { mergeHistory } from "./merge-history.js";

const item = (content: string) =>
  buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content } }) as ItemEvent;
const end = (itemIndex: number, text: string) => ({
  type: "notice" as const,
  isError: true,
  text,
  itemIndex,
});

test("each notice of a turn's end is merged once, and notices before the first item are dropped", () => {
  const [one, two] = [item("one"), item("two")];
  const ends = [end(3, "gone"), end(11, "failed"), end(12, "cancelled"), end(11, "failed")];

  expect(mergeHistory([one, two], 10, ends)).toEqual([one, ends[1], two, ends[2]]);
  expect(mergeHistory([], 0, [end(0, "at once")])).toEqual([end(0, "at once")]);
});
