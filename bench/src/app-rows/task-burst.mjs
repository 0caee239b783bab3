import { measureRounds, startContenders } from "../apps/contenders.mjs";
import { ms, timed } from "../figures.mjs";
import { runTurn } from "../rpc.mjs";

const TASKS = 50;

/** Time until 50 new tasks that start at the same moment have ended, with the offline model. */
export const taskBurstRow = {
  name: "50 new tasks at once, offline",
  budget: "≤ 200 ms",
  limit: 200,
  async run(own) {
    const contenders = await startContenders(own, {});
    const work = (app) =>
      timed(() => Promise.all(Array.from({ length: TASKS }, () => runTurn(app, "say hi"))));
    await measureRounds(contenders, 3, work);
    const { dt } = await measureRounds(contenders, 7, work);
    return { value: dt.value, format: ms, cpuMs: dt.cpuMs, per: "50 tasks" };
  },
};
