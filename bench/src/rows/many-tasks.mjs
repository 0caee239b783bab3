import { startChild } from "../child.mjs";
import { readModel } from "../children/model-agent.mjs";
import { median, ms, timed, times } from "../figures.mjs";
import { readAll, streamBody } from "../rpc.mjs";

const TASKS = 50;
const tasks = (work) => Promise.all(Array.from({ length: TASKS }, work));

/**
 * Time until 50 concurrent tasks have ended, each with 200 chunks that come 10 ms apart. Uses the real
 * agent, SQLite and SSE.
 */
export const manyTasksRow = {
  name: "50 tasks × 200 chunks at once, 10 ms apart, SQLite store",
  budget: "≤ 1.5 × reading the models alone",
  limit: 1.5,
  async run(own) {
    const server = own(await startChild("agent-server", { store: "sqlite", agent: "model" }));
    const run = (prompt) => () => readAll(server.url, streamBody(prompt, server.directory));
    await tasks(run("5 1"));
    const aloneMs = await timed(() => tasks(() => drain(readModel(200, 10))));
    const oursMs = await timed(() => tasks(run("200 10")));
    const value = oursMs / aloneMs;
    return { measured: `${times(value)} (${ms(oursMs)} against ${ms(aloneMs)})`, value };
  },
};

/** Time of a turn of 2,000 chunks, 1 ms apart. */
export const longTurnRow = {
  name: "2,000-chunk model turn end to end, 1 ms apart, SQLite store",
  budget: "≤ 2 × reading the model alone",
  limit: 2,
  async run(own) {
    const server = own(await startChild("agent-server", { store: "sqlite", agent: "model" }));
    const run = (prompt) => readAll(server.url, streamBody(prompt, server.directory));
    await run("500 0");
    const aloneMs = await timed(() => drain(readModel(2_000, 1)));
    const oursMs = await timed(() => run("2000 1"));
    const value = oursMs / aloneMs;
    return { measured: `${times(value)} (${ms(oursMs)} against ${ms(aloneMs)})`, value };
  },
};

/** Time until 50 tasks of one chunk each, which start at the same moment, have ended. */
export const newTasksRow = {
  name: "50 new tasks at once, until all have ended, SQLite store",
  budget: "none (peer: 10.2 s)",
  async run(own) {
    const server = own(await startChild("agent-server", { store: "sqlite", agent: "model" }));
    const run = () => readAll(server.url, streamBody("1 0", server.directory));
    await run();
    const value = await timed(() => tasks(run));
    return { measured: ms(value), value };
  },
};

/** Time from the request for a new task to the first event of the task. Only one task runs at a time. */
export const firstEventRow = {
  name: "first event of a new task, p50, SQLite store",
  budget: "≤ 3 ms",
  limit: 3,
  async run(own) {
    const server = own(await startChild("agent-server", { store: "sqlite", agent: "model" }));
    const first = async () => {
      const startedAt = performance.now();
      let firstMs;
      await readAll(server.url, streamBody("1 0", server.directory), (chunk) => {
        if (chunk.includes("data: ")) firstMs ??= performance.now() - startedAt;
      });
      return firstMs;
    };
    const took = [];
    for (let index = 0; index < 200; index += 1) took.push(await first());
    const value = median(took.slice(50));
    return { measured: ms(value), value };
  },
};

async function drain(parts) {
  for await (const _ of parts);
}
