import { measureRounds, startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { ms } from "../figures.mjs";
import { runTurn } from "../rpc.mjs";

const WARM_UP = 30;
const TURNS = 100;

/** Time of a short turn on an existing task, from the request to the end of the response. */
export const nextTurnRow = {
  name: "turn on an existing task, p50, Gemini",
  budget: "≤ 3 ms",
  limit: 3,
  async run(own, { peer }) {
    const { gemini: model } = own(await startModelServer());
    const contenders = await startContenders(own, { model, peer });
    const tasks = new Map();
    for (const app of Object.values(contenders)) {
      tasks.set(app, (await runTurn(app, "bench 1 0")).taskId);
    }
    const turn = async (app) =>
      (await runTurn(app, "bench 1 0", { taskId: tasks.get(app) })).totalMs;
    await measureRounds(contenders, WARM_UP, turn);
    const { dt, peer: theirs } = await measureRounds(contenders, TURNS, turn);
    return { value: dt.value, format: ms, peer: theirs?.value, cpuMs: dt.cpuMs, per: "turn" };
  },
};
