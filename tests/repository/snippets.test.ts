import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

const documents = [
  "README.md",
  "packages/agent-core/README.md",
  "packages/server/README.md",
  "packages/client/README.md",
  "docs/protocol.md",
  "docs/guides/first-client.md",
];

/** The code between the region comments of an example, without its indentation. */
function regionOf(file: string): string {
  const [, region = ""] =
    /\/\/ region: snippet\n([\s\S]*?)\n\s*\/\/ endregion/.exec(read(file)) ?? [];
  const lines = region.split("\n");
  const indent = /^ */.exec(lines[0] ?? "")?.[0].length ?? 0;
  return lines.map((line) => line.slice(indent)).join("\n");
}

for (const document of documents) {
  test(`every snippet in ${document} is the code of a tested example`, () => {
    const snippets = [
      ...read(document).matchAll(/<!-- snippet: (\S+) -->\n```ts\n([\s\S]*?)\n```/g),
    ];
    const unmarked = [...read(document).matchAll(/```ts\n/g)].length;

    expect(snippets).toHaveLength(unmarked);
    for (const [, file = "", code] of snippets) expect(code).toBe(regionOf(file));
  });
}
