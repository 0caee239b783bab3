import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { readCpuMs } from "./process-stats.mjs";

/** Starts a program in the folder `children/` and waits until it listens. */
export async function startChild(name, setup = {}) {
  const file = path.join(import.meta.dirname, "children", `${name}.mjs`);
  const child = fork(file, [JSON.stringify(setup)], {
    execArgv: ["--expose-gc"],
    serialization: "advanced",
  });
  const waiting = new Map();
  let lastId = 0;
  const [{ url, directory }] = await once(child, "message");
  child.on("message", ({ id, result }) => waiting.get(id)?.(result));
  return {
    url,
    directory,
    pid: child.pid,
    cpuMs: () => readCpuMs(child.pid),
    /** Sends a request such as `memory` to the child. Returns the reply. */
    ask(name, value) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, name, value });
      });
    },
    async close() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/**
 * Runs some work and then closes everything that the work passed to `own`, in reverse order. Node 20 has no
 * `await using`.
 */
export async function scoped(work) {
  const owned = [];
  const own = (closable) => {
    owned.push(closable);
    return closable;
  };
  try {
    return await work(own);
  } finally {
    for (const closable of owned.reverse()) await closable.close();
  }
}
