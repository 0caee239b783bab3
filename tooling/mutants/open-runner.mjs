import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const RUNNER = fileURLToPath(new URL("runner.mjs", import.meta.url));

/**
 * Opens a runner in a copy of the repository. `run` resolves with the outcome of some test files. A run that
 * exceeds its limit is killed with all its child processes.
 *
 * @param {string} copy
 */
export function openRunner(copy) {
  let child;

  async function start() {
    // The child has its own process group, so a kill also ends the child processes of a hanging test.
    child = fork(RUNNER, [copy], {
      cwd: copy,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    await once(child, "message");
  }

  async function run(task, limit) {
    if (child === undefined) await start();
    const answered = new AbortController();
    const answer = Promise.race([
      once(child, "message", { signal: answered.signal }).then(([outcome]) => outcome),
      once(child, "exit", { signal: answered.signal }).then(() => ({ fault: "the run exited" })),
      failAfter(limit, answered.signal),
    ]);
    child.send(task);
    const outcome = await answer;
    answered.abort();
    if (outcome.isGreen === undefined) await close();
    return { isGreen: false, ...outcome };
  }

  async function close() {
    if (child === undefined) return;
    const ended = child;
    child = undefined;
    if (ended.exitCode !== null || ended.signalCode !== null) return;
    const exited = once(ended, "exit");
    process.kill(-ended.pid, "SIGKILL");
    await exited;
  }

  return { run, close };
}

async function failAfter(milliseconds, signal) {
  return await new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve({ fault: `no end within ${Math.round(milliseconds / 1000)} s` }),
      milliseconds,
    );
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}
