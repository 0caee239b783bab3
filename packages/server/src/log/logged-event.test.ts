import { expect, test } from "vitest";
import { EncodedTexts } from "./logged-event.js";

test("the cache of an event counts and returns the text of each dialect", () => {
  const texts = new EncodedTexts();
  const sizes = [texts.size];

  texts.set("one", "1");
  sizes.push(texts.size);
  texts.set("two", "2");
  sizes.push(texts.size);

  expect(sizes).toEqual([0, 1, 2]);
  expect([texts.get("one"), texts.get("two"), texts.get("three")]).toEqual(["1", "2", undefined]);
});
