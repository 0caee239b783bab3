// Derives the addresses in published files from the `repository` field of the root package.json.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./write-document.mjs";

/** The repository's address, such as `https://github.com/owner/name`. */
export const address = readJson("package.json").repository.url.replace(/^git\+|\.git$/g, "");

/** Sets the fields `repository`, `homepage` and `bugs` in the text of a package.json, from the address. */
export function withAddress(folder, text) {
  const { repository: _, homepage: __, bugs: ___, ...manifest } = JSON.parse(text);
  const fields = Object.entries(manifest).flatMap((field) =>
    field[0] === "license" ? [field, ...Object.entries(addressFields(folder))] : [field],
  );
  return `${JSON.stringify(Object.fromEntries(fields), undefined, 2)}\n`;
}

/** Returns a published README with absolute links, because npm does not publish the other documents. */
export function withAbsoluteLinks(folder, markdown) {
  return markdown.replace(/(\]\()(?![a-z]+:|#)([^)\s]+)(\))/g, (_, open, target, close) => {
    const file = path.posix.join(folder, target);
    const kind = /\.(svg|png)$/.test(file) ? "raw" : "blob";
    return `${open}${address}/${kind}/main/${file}${close}`;
  });
}

function addressFields(folder) {
  return {
    repository: { type: "git", url: `git+${address}.git`, directory: folder },
    homepage: `${address}/tree/main/${folder}#readme`,
    bugs: `${address}/issues`,
  };
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), "utf8"));
}
