import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { commentsOf } from "./comments.mjs";
import { parseFiles } from "./parse-files.mjs";

const FOLDERS = ["packages", "apps", "examples", "tests", "tooling", "bench"];
const IGNORED = new Set(["node_modules", "dist", "coverage", ".git", ".turbo"]);

/**
 * Reads the hand-written files of the repository.
 *
 * @param {string} root
 */
export function readRepository(root) {
  const files = listFiles(root, "");
  const isSource = (file) =>
    FOLDERS.includes(file.split("/")[0]) && /\.(?:tsx?|mts|[cm]?js)$/.test(file);
  const sources = parseFiles(
    root,
    files.filter((file) => isSource(file) && !file.includes("/gen/")),
  );
  const read = (file) => readFileSync(path.join(root, file), "utf8");
  const documents = new Map(
    files.filter((file) => file.endsWith(".md")).map((file) => [file, read(file)]),
  );
  const ids = read("tests/requirements/requirements.ts").matchAll(/\bid: "([A-Z]+-\d{2})"/g);
  return {
    files,
    sources,
    documents,
    comments: sources.flatMap(commentsOf),
    requirements: new Set([...ids].map(([, id]) => id)),
  };
}

/** Returns true for a source file of a package or an app, except tests. */
export function isImportable({ file }) {
  return /^(?:packages|apps)\/[^/]+\/src\//.test(file) && !isTestFile(file);
}

/** Returns true for tests, type tests and proofs, but not for test support. */
export function isTestFile(file) {
  return /\.(?:test|test-d|prove)\.tsx?$/.test(file);
}

function listFiles(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return IGNORED.has(entry.name) ? [] : listFiles(root, file);
    return entry.isFile() ? [file] : [];
  });
}
