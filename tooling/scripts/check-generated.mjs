// Checks that the protos pass the linter, have no breaking change, and generate exactly the committed code.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const committed = path.join(root, "packages/schema/src/gen");
const buf = (...args) =>
  execFileSync(path.join(root, "node_modules/.bin/buf"), args, {
    cwd: path.join(root, "proto"),
    stdio: "inherit",
  });

buf("lint");
buf("format", "--diff", "--exit-code");
buf("breaking", "--against", "released.binpb");

const fresh = mkdtempSync(path.join(tmpdir(), "dt-generated-"));
try {
  execFileSync(process.execPath, [path.join(import.meta.dirname, "generate.mjs"), fresh], {
    stdio: "inherit",
  });
  const differing = [...new Set([...filesIn(fresh), ...filesIn(committed)])].filter(
    (file) => read(fresh, file) !== read(committed, file),
  );
  if (differing.length > 0) {
    console.error(
      `generated code differs from proto/ in ${differing.join(", ")}; run npm run generate`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function filesIn(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
}

function read(directory, file) {
  try {
    return readFileSync(path.join(directory, file), "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
