// Writes the repository's address into the package.json and the README of each published package.
import { readFileSync } from "node:fs";
import path from "node:path";
import { LIBRARIES } from "../public-surface.mjs";
import { withAbsoluteLinks, withAddress } from "../published-address.mjs";
import { root, writeDocument } from "../write-document.mjs";

for (const folder of LIBRARIES.map((library) => `packages/${library}`)) {
  const manifest = `${folder}/package.json`;
  writeDocument(manifest, withAddress(folder, read(manifest)));
  const readme = `${folder}/README.md`;
  writeDocument(readme, withAbsoluteLinks(folder, read(readme)));
}

function read(file) {
  return readFileSync(path.join(root, file), "utf8");
}
