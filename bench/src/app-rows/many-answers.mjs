import { measureRounds, startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { median, ms, timed } from "../figures.mjs";
import { readModelAlone, runTurn } from "../rpc.mjs";

const TASKS = 50;
const CHUNKS = 200;

/**
 * Time until 50 new tasks that start at the same moment have ended, compared with reading 50 streams of the
 * model directly.
 */
export const manyAnswersRow = ({ everyMs, limit, rounds }) => ({
  name: `50 tasks × 200 chunks at once, ${everyMs === 0 ? "no delay" : `${everyMs} ms apart`}, Gemini`,
  budget: `≤ ${limit} × model alone`,
  limit,
  async run(own, { peer }) {
    const { gemini: model } = own(await startModelServer());
    const apps = await startContenders(own, { model, peer });
    const firsts = [];
    const work = async (app) => {
      if (app.url === undefined) return await timed(() => atOnce(() => alone(prompt)));
      return await timed(async () => {
        const turns = await atOnce(() => runTurn(app, prompt));
        if (app === apps.dt) firsts.push(...turns.map(({ firstMs }) => firstMs));
      });
    };
    const alone = (text) => readModelAlone(model, text);
    let prompt = `bench ${CHUNKS} 0`;
    const contenders = { alone: {}, ...apps };
    await measureRounds(contenders, 2, work);
    firsts.length = 0;
    prompt = `bench ${CHUNKS} ${everyMs}`;
    const found = await measureRounds(contenders, rounds, work);
    return {
      value: found.dt.value / found.alone.value,
      figure: found.dt.value,
      format: ms,
      alone: found.alone.value,
      peer: found.peer?.value,
      cpuMs: found.dt.cpuMs,
      per: "50 tasks",
      note: `first event p50 ${ms(median(firsts))}`,
    };
  },
});

function atOnce(work) {
  return Promise.all(Array.from({ length: TASKS }, work));
}
