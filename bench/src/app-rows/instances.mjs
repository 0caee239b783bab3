import { startPostgres } from "@dt/tooling/postgres";
import { startDtServer } from "../apps/dt-server.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { median, ms, timed } from "../figures.mjs";
import { findTaskState, runTurn, startTask } from "../rpc.mjs";

const SESSIONS = 200;
const ROUNDS = 3;
/** The default lease, and the time in which another instance must have taken over. */
const LEASE_MS = 15_000;
const TAKE_OVER_MS = LEASE_MS + 2_000;
const POLL_MS = 20;
const ENDED = ["failed", "completed", "canceled"];

/** Time until 200 new sessions, spread over three instances on one database, have ended their first turn. */
export const instancesRow = {
  name: "200 sessions over three instances, 20 chunks 10 ms apart, postgres store",
  budget: "none (two cores for all of them)",
  async run(own) {
    const apps = await startInstances(own, 3);
    const runAll = () =>
      Promise.all(
        Array.from({ length: SESSIONS }, (_, index) =>
          runTurn(apps[index % apps.length], "bench 20 10"),
        ),
      );
    await runAll();
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) found.push(await timed(runAll));
    return { measured: ms(median(found)) };
  },
};

/** Time from `kill -9` of the instance that runs a turn until another instance has ended that turn. */
export const takeOverRow = {
  name: "kill -9 of an instance in mid-turn, until another has taken over, postgres store",
  budget: "≤ lease of 15 s + 2 s",
  limit: TAKE_OVER_MS,
  async run(own) {
    const [watching, ...killed] = await startInstances(own, 1 + ROUNDS);
    const found = [];
    for (const app of killed) {
      const taskId = await startTask(app, "bench 10000 100");
      await untilState(watching, taskId, ["working"]);
      process.kill(app.pid, "SIGKILL");
      found.push(await timed(() => untilState(watching, taskId, ENDED)));
    }
    return {
      value: Math.max(...found),
      measured: `${ms(Math.max(...found))}, the slowest of ${ROUNDS}`,
    };
  },
};

/** Starts instances on one database, each with a data directory and a workspace of its own. */
async function startInstances(own, count) {
  const { gemini: model } = own(await startModelServer());
  // No flags are passed, so that Postgres waits for the disk as in production.
  const postgres = await startPostgres({ flags: [] });
  own({ close: () => postgres[Symbol.asyncDispose]() });
  const variables = { DT_STORE: postgres.url };
  const apps = [];
  for (let index = 0; index < count; index += 1) {
    apps.push(own(await startDtServer({ model, variables })));
  }
  return apps;
}

async function untilState(app, taskId, states) {
  while (!states.includes(await findTaskState(app, taskId))) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
