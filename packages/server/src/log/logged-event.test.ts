import { expect, test } from "vitest";
import { EncodedFrames } from "./logged-event.js";

test("the cache of an event returns the frames of each dialect, and counts the dialects", () => {
  const cache = new EncodedFrames();
  const sizes = [cache.size];

  cache.set("one", [{ json: "1", cursor: "7.x" }]);
  sizes.push(cache.size);
  cache.set("two", [{ json: "2" }, { json: "3" }]);
  sizes.push(cache.size);

  expect(sizes).toEqual([0, 1, 2]);
  expect([cache.get("one"), cache.get("two"), cache.get("three")]).toEqual([
    [{ json: "1", cursor: "7.x" }],
    [{ json: "2" }, { json: "3" }],
    undefined,
  ]);
});
