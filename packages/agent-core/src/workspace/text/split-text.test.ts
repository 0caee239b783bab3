import fc from "fast-check";
import { expect, test } from "vitest";
import { splitText } from "./split-text.js";

test("splitText returns the same pieces as String.split", () => {
  const part = fc.constantFrom("a".repeat(150), "b", "ab".repeat(80), "");
  const parts = (maxLength: number) => fc.array(part, { maxLength }).map((each) => each.join(""));
  fc.assert(
    fc.property(parts(12), parts(4), (text, sought) => {
      fc.pre(sought !== "");
      expect(splitText(text, sought)).toEqual(text.split(sought));
    }),
  );
});

test.each([
  ["in the middle", `${"a".repeat(500_000)}b${"a".repeat(500_000)}`],
  ["at the start", `b${"a".repeat(1_000_000)}`],
  ["at the end", `${"a".repeat(1_000_000)}b`],
])(
  "splitText takes linear time if the only b of the sought text is %s [SEC-09]",
  (_name, sought) => {
    expect(splitText("a".repeat(2_000_000), sought)).toHaveLength(1);
  },
);
