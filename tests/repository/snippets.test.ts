import { expect, test } from "vitest";
import { fillSnippets } from "../../tooling/scripts/snippets.mjs";
import { documents, readText, root } from "./repository.js";

test.each(documents)("every snippet in %s is the code of a tested example", (document) => {
  const markdown = readText(document);
  const marked = [...markdown.matchAll(/<!-- snippet: \S+ -->\n```ts\n/g)];
  const blocks = [...markdown.matchAll(/^```(?:ts|js|tsx|mjs)\n/gm)];

  expect(fillSnippets(root, markdown), "run `npm run docs`").toBe(markdown);
  expect(marked).toHaveLength(blocks.length);
});
