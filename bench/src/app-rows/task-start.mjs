import { measureRounds, startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { ms } from "../figures.mjs";
import { runTurn } from "../rpc.mjs";

const WARM_UP = 30;
const TASKS = 100;

/** Time from the request for a new task to the first event of the task. Only one task runs at a time. */
export const taskStartRow = (vendor) => ({
  name: `first event of a new task, p50, ${vendor === undefined ? "offline" : "Gemini"}`,
  budget: "≤ 5 ms",
  limit: 5,
  async run(own, { peer }) {
    const model = vendor && own(await startModelServer())[vendor];
    // The peer has no offline model, so it is measured only with a vendor's model.
    const contenders = await startContenders(own, { model, peer: model && peer });
    const first = async (app) => (await runTurn(app, model ? "bench 1 0" : "say hi")).firstMs;
    await measureRounds(contenders, WARM_UP, first);
    const { dt, peer: theirs } = await measureRounds(contenders, TASKS, first);
    return { value: dt.value, format: ms, peer: theirs?.value, cpuMs: dt.cpuMs, per: "task" };
  },
});
