import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { weave } from "./weave.mjs";

const COPIED = ["apps", "bench", "docs", "examples", "packages", "proto", "tests", "tooling"];
const LIBRARIES = ["schema", "agent-core", "server", "client", "acp"];
const APPS = ["cli", "server"];
const NOT_COPIED = new Set([".git", ".turbo", "coverage"]);
const GENERATED_PATH = /(^|\/)(node_modules|dist|\.turbo)\//;
const TEST_FILE = /\.(test|test-support|test-d|prove)\.tsx?$/;

/**
 * Copies the repository, weaves all mutants into the copies and builds them, so that sources, built
 * packages and child processes of tests contain the same faults. Each runner has its own copy. If the
 * sources have not changed since the last run, the copies are reused, and only their tests are refreshed.
 *
 * @param {string} root
 * @param {readonly object[]} mutants
 * @param {number} count
 */
export function openScratch(root, mutants, count) {
  const parent = path.join(os.tmpdir(), `dt-mutants-${hashOf([root]).slice(0, 12)}`);
  const unlock = lock(parent);
  const copies = Array.from({ length: count }, (_, index) => path.join(parent, `copy-${index}`));
  const fingerprint = fingerprintOf(root, mutants);
  const stampFile = path.join(parent, "complete");
  const known = fs.existsSync(stampFile) ? fs.readFileSync(stampFile, "utf8") : "";
  if (known === `${fingerprint} ${count}`) {
    for (const copy of copies) refreshTests(root, copy);
  } else {
    fs.rmSync(stampFile, { force: true });
    for (const copy of copies) fs.rmSync(copy, { recursive: true, force: true });
    fill(root, mutants, copies);
    fs.writeFileSync(stampFile, `${fingerprint} ${count}`);
  }
  return { copies, fingerprint, close: unlock };
}

function fill(root, mutants, [first, ...others]) {
  copyRepository(root, first);
  weaveAll(first, mutants);
  for (const name of LIBRARIES) buildIn(path.join(first, "packages", name));
  for (const name of APPS) buildIn(path.join(first, "apps", name));
  for (const other of others) {
    fs.cpSync(first, other, { recursive: true, verbatimSymlinks: true });
    redirect(other, first);
  }
}

/** Refuses a second run in the same scratch folder, because both runs would write the same selection files. */
function lock(parent) {
  fs.mkdirSync(parent, { recursive: true });
  const file = path.join(parent, "pid");
  const holder = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;
  if (holder !== 0 && isAlive(holder))
    throw new Error(`another npm run mutants is active (process ${holder}); wait until it ends`);
  fs.writeFileSync(file, String(process.pid));
  return () => fs.rmSync(file, { force: true });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Hashes the built sources and their mutants, without tests. */
function fingerprintOf(root, mutants) {
  const files = ["packages", "apps"].flatMap((name) =>
    fs
      .readdirSync(path.join(root, name), { recursive: true })
      .filter(
        (file) =>
          /\.(tsx?|json)$/.test(file) && !TEST_FILE.test(file) && !GENERATED_PATH.test(file),
      )
      .map((file) => path.join(root, name, file)),
  );
  const texts = files.sort().flatMap((file) => [file, fs.readFileSync(file)]);
  return hashOf([...texts, JSON.stringify(mutants), weave("", mutants.slice(0, 1), "")]);
}

function hashOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function refreshTests(root, copy) {
  fs.rmSync(path.join(copy, "tests"), { recursive: true, force: true });
  copyFolder(root, copy, "tests");
  for (const name of ["packages", "apps"]) {
    for (const file of fs.readdirSync(path.join(root, name), { recursive: true })) {
      if (!TEST_FILE.test(file) || /(^|\/)node_modules\//.test(file)) continue;
      fs.copyFileSync(path.join(root, name, file), path.join(copy, name, file));
    }
  }
}

function copyFolder(root, copy, name) {
  fs.cpSync(path.join(root, name), path.join(copy, name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !NOT_COPIED.has(path.basename(file)),
  });
}

/** Returns the path of the selection file of a copy. The file contains the id of the selected mutant. */
export function selectionOf(copy) {
  return path.join(copy, "selected-mutant");
}

function copyRepository(root, copy) {
  fs.mkdirSync(copy);
  for (const entry of fs.readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile()) fs.copyFileSync(path.join(root, entry.name), path.join(copy, entry.name));
  }
  for (const name of COPIED) copyFolder(root, copy, name);
  fs.symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"), "junction");
  fs.writeFileSync(selectionOf(copy), "0");
}

function weaveAll(copy, mutants) {
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const ofFile = mutants.filter((mutant) => mutant.file === file);
    const full = path.join(copy, file);
    const text = fs.readFileSync(full, "utf8");
    fs.writeFileSync(full, weave(text, ofFile, selectionOf(copy)));
  }
}

function buildIn(folder) {
  const tsup = path.join(folder, "node_modules", ".bin", "tsup");
  execFileSync(tsup, ["--silent"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Replaces the path of the selection file in the woven files of a duplicated copy. */
function redirect(copy, from) {
  const [before, after] = [selectionOf(from), selectionOf(copy)];
  for (const name of ["packages", "apps"]) {
    const folder = path.join(copy, name);
    for (const file of fs.readdirSync(folder, { recursive: true })) {
      if (file.includes("node_modules") || !/\.(ts|js)$/.test(file)) continue;
      const full = path.join(folder, file);
      const text = fs.readFileSync(full, "utf8");
      if (text.includes(before)) fs.writeFileSync(full, text.replaceAll(before, after));
    }
  }
}
