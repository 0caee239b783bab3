import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Imports a package that another folder of this repository depends on. */
export async function importFrom(folder, name) {
  const { resolve } = createRequire(path.join(ROOT, folder, "package.json"));
  return await import(pathToFileURL(resolve(name)).href);
}
