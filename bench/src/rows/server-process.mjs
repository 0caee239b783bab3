import { startDtServer } from "../apps/dt-server.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { scoped } from "../child.mjs";
import { mb, median, ms } from "../figures.mjs";

const ROUNDS = 7;
const PEER_ROUNDS = 3;

/** Time from the start of the process to the first agent card. */
export const coldStartRow = {
  name: "cold start to first agent card",
  budget: "≤ 250 ms",
  limit: 250,
  async run(own, { peer }) {
    const started = await repeat(ROUNDS, startDtServer);
    const { gemini: model } = own(await startModelServer());
    const theirs = peer && (await repeat(PEER_ROUNDS, () => peer.start({ model })));
    return { value: started.startMs, format: ms, peer: theirs?.startMs, ...cpuOf(started) };
  },
};

/** Resident memory of an idle server that has served its card once. */
export const idleMemoryRow = {
  name: "memory when idle",
  budget: "≤ 70 MB",
  limit: 70 * 1024 * 1024,
  async run(own, { peer }) {
    const idle = () => new Promise((resolve) => setTimeout(resolve, 2_000));
    const started = await repeat(1, startDtServer, idle);
    const { gemini: model } = own(await startModelServer());
    const theirs = peer && (await repeat(1, () => peer.start({ model }), idle));
    return { value: started.resident, format: mb, peer: theirs?.resident, ...cpuOf(started) };
  },
};

/** Starts a server several times. Returns the medians of its start time, CPU time and memory. */
async function repeat(rounds, start, wait = async () => {}) {
  const found = [];
  for (let round = 0; round < rounds; round += 1) {
    await scoped(async (own) => {
      const app = own(await start());
      await wait();
      found.push([app.startMs, app.cpuMs(), app.residentBytes()]);
    });
  }
  const [startMs, cpuMs, resident] = [0, 1, 2].map((column) =>
    median(found.map((each) => each[column])),
  );
  return { startMs, cpuMs, resident };
}

function cpuOf({ cpuMs }) {
  return { cpuMs, per: "start" };
}
