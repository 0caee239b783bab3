import { startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { ms, percentile99, timed } from "../figures.mjs";
import { readAll, runTurn } from "../rpc.mjs";

const SESSIONS = 50;
const SAMPLES = 200;
const PAUSE_MS = 20;

/** Time that a request to `/health` takes while 50 sessions stream. */
export const healthRow = {
  name: "/health while 50 sessions stream, p99",
  budget: "≤ 50 ms",
  limit: 50,
  run: (own) =>
    measure(own, (app) =>
      timed(() => readAll(`${app.url}health`, undefined, undefined, { method: "GET" })),
    ),
};

/** Time to the first event of a new task while 50 sessions stream. */
export const newcomerRow = {
  name: "first event of a new task while 50 sessions stream, p99",
  budget: "≤ 100 ms",
  limit: 100,
  run: (own) => measure(own, async (app) => (await runTurn(app, "bench 1 0")).firstMs),
};

async function measure(own, sample) {
  const { gemini: model } = own(await startModelServer());
  const { dt } = await startContenders(own, { model });
  await Promise.all(Array.from({ length: SESSIONS }, () => runTurn(dt, "bench 50 0")));
  let isOver = false;
  const streams = Array.from({ length: SESSIONS }, async () => {
    while (!isOver) await runTurn(dt, "bench 200 10");
  });
  const took = [];
  const before = dt.cpuMs();
  const startedAt = performance.now();
  for (let index = 0; index < SAMPLES; index += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    took.push(await sample(dt));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuMs = (dt.cpuMs() - before) / seconds;
  isOver = true;
  await Promise.all(streams);
  return { value: percentile99(took), format: ms, cpuMs, per: "second" };
}
