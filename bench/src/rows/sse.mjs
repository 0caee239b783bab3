import { startChild } from "../child.mjs";
import { compare, ms, times } from "../figures.mjs";
import { readAll, streamBody } from "../rpc.mjs";

const EVENTS = 10_000;
const ROUNDS = 7;

/**
 * Time of a task of 10,000 events over SSE, compared with raw Node that encodes and writes the same updates.
 * The row also shows the time of raw Node with text that was encoded in advance.
 */
export const sseRow = (store, budget) => ({
  name: `10,000 status updates over SSE, one task, ${store} store`,
  budget: `≤ ${budget} × raw Node SSE`,
  limit: budget,
  async run(own) {
    const ours = own(await startChild("agent-server", { store }));
    const raw = own(await startChild("raw-sse"));
    const run = (onChunk) => readAll(ours.url, streamBody(String(EVENTS), ours.directory), onChunk);
    await raw.ask("frames", await readFrames(run));
    await run();
    await readAll(raw.url, "{}");

    const ready = () => readAll(`${raw.url}ready`, "{}");
    const { ours: oursMs, raw: rawMs } = await compare(ROUNDS, run, () => readAll(raw.url, "{}"));
    const { raw: readyMs } = await compare(ROUNDS, async () => {}, ready);

    const ratio = oursMs / rawMs;
    const strict = `${times(oursMs / readyMs)} of ${ms(readyMs)} if the text is ready before`;
    const beside = `${ms(oursMs)} against ${ms(rawMs)}; ${strict}`;
    return { measured: `${times(ratio)} (${beside})`, value: ratio };
  },
});

/**
 * Time of a task of 10,000 events over SSE, compared with raw Node that only writes text that was encoded
 * in advance.
 */
export const sseReadyRow = (store, limit) => ({
  name: `10,000 status updates over SSE against ready text, ${store} store`,
  budget: `≤ ${limit} × ready text`,
  limit,
  async run(own) {
    const ours = own(await startChild("agent-server", { store }));
    const raw = own(await startChild("raw-sse"));
    const run = (onChunk) => readAll(ours.url, streamBody(String(EVENTS), ours.directory), onChunk);
    const ready = () => readAll(`${raw.url}ready`, "{}");
    await raw.ask("frames", await readFrames(run));
    await compare(3, run, ready);
    const before = ours.cpuMs();
    const { ours: oursMs, raw: readyMs } = await compare(ROUNDS, run, ready);
    const cpuMs = (ours.cpuMs() - before) / ROUNDS;
    const value = oursMs / readyMs;
    return { value, figure: oursMs, alone: readyMs, format: ms, cpuMs, per: "task" };
  },
});

async function readFrames(run) {
  const chunks = [];
  await run((chunk) => chunks.push(chunk));
  return Buffer.concat(chunks)
    .toString()
    .split("\n\n")
    .filter((frame) => frame.includes("data: "))
    .map((frame) => `${frame}\n\n`);
}
