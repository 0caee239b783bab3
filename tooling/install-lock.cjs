"use strict";
const fs = require("node:fs");

/** Pause between two attempts to take the lock. */
const PAUSE_MS = 200;
/** A lock of this age is ignored. Its process has ended, and another process has got its id. */
const MAX_AGE_MS = 30 * 60 * 1000;
/** A lock without an id is ignored at this age. Its process has ended before it wrote its id. */
const MAX_EMPTY_MS = 5 * 1000;
/** Text of this process in a lock file. The time makes it unique, because systems reuse the ids of processes. */
const OWN_TEXT = `${process.pid} ${Date.now()}`;

/**
 * Runs `work` while no other process runs work under the same lock file. Waits for that process if there is one, and
 * says so on stderr. A process that is killed leaves its lock file behind; the next one ignores the file.
 */
exports.withInstallLock = function withInstallLock(file, work) {
  waitForLock(file);
  try {
    return work();
  } finally {
    if (readLock(file)?.text === OWN_TEXT) fs.rmSync(file, { force: true });
  }
};

function waitForLock(file) {
  let isSaid = false;
  for (let attempt = 0; !create(file, attempt); attempt += 1) {
    const lock = readLock(file);
    if (lock === undefined || (isStale(lock) && remove(file, lock))) continue;
    if (!isSaid) process.stderr.write("another command is installing; waiting for its end\n");
    isSaid = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** Creates the lock file. Returns false if it exists. */
function create(file, attempt) {
  try {
    fs.writeFileSync(file, OWN_TEXT, { flag: "wx" });
    return true;
  } catch (error) {
    // Windows refuses the name of a file for a moment after another process has deleted it.
    const isTaken = error.code === "EEXIST" || process.platform === "win32";
    if (isTaken && attempt * PAUSE_MS < 2 * MAX_AGE_MS) return false;
    throw error;
  }
}

/** Reads the text and the age of a lock file; undefined if it does not exist. */
function readLock(file) {
  try {
    const { mtimeMs } = fs.statSync(file);
    // If the clock was set back, the time of the file lies in the future.
    return { text: fs.readFileSync(file, "utf8"), ageMs: Math.abs(Date.now() - mtimeMs) };
  } catch {
    return undefined;
  }
}

function isStale(lock) {
  if (lock.ageMs > MAX_AGE_MS) return true;
  if (lock.text === "") return lock.ageMs > MAX_EMPTY_MS;
  return !isRunning(Number.parseInt(lock.text, 10));
}

function isRunning(id) {
  // This process has no lock yet, so a lock with its id belongs to an earlier process.
  if (!(id > 0) || id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // EPERM means that the process belongs to another user.
    return error.code === "EPERM";
  }
}

/**
 * Removes a stale lock file. Returns false if this fails. The file is renamed first, because another process may have
 * replaced it meanwhile. If the renamed file is another lock, it gets its name back.
 */
function remove(file, { text }) {
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    if (fs.readFileSync(aside, "utf8") === text) fs.rmSync(aside, { force: true });
    else fs.renameSync(aside, file);
    return true;
  } catch {
    return false;
  }
}
