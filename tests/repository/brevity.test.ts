import { expect, test } from "vitest";
import { longPassagesIn } from "./brevity.js";
import { documents, readText } from "./repository.js";

/** Matches reports that programs write. */
const EXEMPT = /^docs\/(?:benchmarks|proofs)\.md$/;

test.each(documents.filter((document) => !EXEMPT.test(document)))(
  "%s has paragraphs up to 5 lines, lines up to 150 and table cells up to 200 characters",
  (document) => {
    expect(longPassagesIn(readText(document))).toEqual([]);
  },
);

test("longPassagesIn() finds long paragraphs, list items and table cells, but not long code", () => {
  const long = Array.from({ length: 6 }, (_, line) => `line ${line}`);
  const markdown = [
    long.join("\n"),
    `- ${long.join("\n  ")}`,
    `| a | ${"x".repeat(201)} |`,
    `\`\`\`text\n${long.join("\n")}\n\`\`\``,
    "short",
  ].join("\n\n");

  expect(longPassagesIn(markdown)).toHaveLength(3);
});
