// Copies the code of tested example files into the documents that show it. A document marks a snippet
// with `<!-- snippet: FILE -->` or `<!-- snippet: FILE#REGION -->` before a block of code.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fillSnippets } from "../snippets.mjs";
import { root, writeDocument } from "../write-document.mjs";

const documents = ["README.md", ...markdownUnder("docs"), ...readmesUnder("packages", "apps")];

for (const document of documents) {
  const text = readFileSync(path.join(root, document), "utf8");
  writeDocument(document, fillSnippets(root, text));
}

function markdownUnder(folder) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${folder}/${file.replaceAll(path.sep, "/")}`);
}

function readmesUnder(...folders) {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}/README.md`),
  );
}
