import { startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { kb } from "../figures.mjs";
import { runTurn } from "../rpc.mjs";

const TASKS = 500;
const AT_ONCE = 10;
/** Number of sessions that dt-server keeps in memory by default. */
const SESSIONS_IN_MEMORY = 1_000;

/** Resident memory that a server needs for each task that has ended and stays in memory. */
export const taskMemoryRow = {
  name: "memory per new task, resident",
  budget: "≤ 30 KB",
  limit: 30 * 1024,
  async run(own, { peer }) {
    const { gemini: model } = own(await startModelServer());
    const contenders = await startContenders(own, { model, peer, hasProbe: true });
    const grown = {};
    let cpuMs = 0;
    for (const [name, app] of Object.entries(contenders)) {
      await runTasks(app, 200);
      const before = await app.probe();
      const startedAt = app.cpuMs();
      await runTasks(app, TASKS);
      if (name === "dt") cpuMs = (app.cpuMs() - startedAt) / TASKS;
      const after = await app.probe();
      grown[name] = Math.max(0, (after.resident - before.resident) / TASKS);
    }
    return { value: grown.dt, format: kb, peer: grown.peer, cpuMs, per: "task" };
  },
};

/** Growth of the heap per new task, while dt-server already keeps the maximum number of sessions in memory. */
export const leakedHeapRow = {
  name: "heap leaked per new task, offline",
  budget: "0 (≤ 1 KB, within the noise)",
  limit: 1024,
  async run(own) {
    const { dt } = await startContenders(own, { hasProbe: true });
    await runTasks(dt, SESSIONS_IN_MEMORY + TASKS, "say hi");
    await untilEvicted(dt);
    const before = await dt.probe();
    const startedAt = dt.cpuMs();
    await runTasks(dt, SESSIONS_IN_MEMORY, "say hi");
    const cpuMs = (dt.cpuMs() - startedAt) / SESSIONS_IN_MEMORY;
    await untilEvicted(dt);
    const after = await dt.probe();
    const value = Math.max(0, (after.heap - before.heap) / SESSIONS_IN_MEMORY);
    return { value, format: kb, cpuMs, per: "task" };
  },
};

// Waits until the sessions above the maximum are evicted, at least 70 seconds after their last use.
async function untilEvicted({ url }) {
  for (;;) {
    const metrics = await (await fetch(`${url}metrics`)).text();
    const [, inMemory] = /^\w*sessions_in_memory (\d+)$/m.exec(metrics);
    if (Number(inMemory) <= SESSIONS_IN_MEMORY) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function runTasks(app, count, prompt = "bench 5 0") {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => runTurn(app, prompt)));
  }
}
