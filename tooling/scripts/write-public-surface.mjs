// Writes the exported names of the libraries to public-surface.json, so that a change is visible in review.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { readPublicSurface } from "./public-surface.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const file = path.join(root, "tests/repository/public-surface.json");

writeFileSync(file, JSON.stringify(readPublicSurface(root)));
execFileSync(path.join(root, "node_modules/.bin/biome"), ["format", "--write", file], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
  shell: process.platform === "win32",
});
