// Used by the scripts in `tooling/scripts/docs`, which `npm run docs` runs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

export const root = path.resolve(import.meta.dirname, "../..");

/**
 * Writes a generated document. Its path starts at the repository's root. With `--check` it writes nothing and
 * sets exit code 1 if the committed text differs.
 */
export function writeDocument(file, text) {
  const target = path.join(root, file);
  const committed = existsSync(target) ? readFileSync(target, "utf8") : undefined;
  if (committed === text) return;
  if (process.argv.includes("--check")) {
    process.stderr.write(`${file} is not up to date; run \`npm run docs\`\n`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(target, text);
  process.stdout.write(`${file} is written\n`);
}
