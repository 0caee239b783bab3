import { connect } from "@dt/client";
import { measureRounds, startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { ms, timed } from "../figures.mjs";
import { readModelAlone, runTurn } from "../rpc.mjs";

const CHUNKS = 2_000;
const PROMPT = `bench ${CHUNKS} 0`;
const WARM_UP = 10;
const ROUNDS = 15;

/**
 * Time until @dt/client has received all events of a long turn, compared with reading the model's stream
 * directly.
 */
export const longAnswerRow = (vendor, title) => ({
  name: `turn of 2,000 chunks, client included, ${title}`,
  budget: "≤ 3 × model alone",
  limit: 3,
  async run(own, { peer }) {
    const model = own(await startModelServer())[vendor];
    const apps = await startContenders(own, {
      model,
      peer: vendor === "gemini" ? peer : undefined,
    });
    const clients = new Map();
    for (const app of Object.values(apps)) {
      const client = own(await connect(app.url));
      clients.set(app, client);
    }
    const contenders = { alone: {}, ...apps, reader: apps.dt };
    const work = (app) => timed(() => readTurn(app, clients.get(app)));
    const alone = () => timed(() => readModelAlone(model, PROMPT));
    const reader = () => timed(() => runTurn(apps.dt, PROMPT));
    let calls = 0;
    const names = Object.keys(contenders);
    // `measureRounds` passes the contender but not its name, and `dt` and `reader` are the same object. So
    // the name is found by counting the calls, which come in the order of `names`.
    const next = (app) => {
      const name = names[calls % names.length];
      calls += 1;
      if (name === "alone") return alone();
      return name === "reader" ? reader() : work(app);
    };
    await measureRounds(contenders, WARM_UP, next);
    const found = await measureRounds(contenders, ROUNDS, next);
    return {
      value: found.dt.value / found.alone.value,
      figure: found.dt.value,
      format: ms,
      alone: found.alone.value,
      peer: found.peer?.value,
      cpuMs: found.dt.cpuMs,
      per: "turn",
      note: `${ms(found.reader.value)} with a client that only reads`,
    };
  },
});

async function readTurn(app, client) {
  const task = await client.startTask({ workspacePath: app.directory, prompt: PROMPT });
  let text = "";
  for await (const event of task.events()) if (event.kind === "TEXT_CONTENT") text += event.text;
  // A server may join several chunks into one event, so the separators in the text are counted instead of
  // events.
  const pieces = text.split("; ").length - 1;
  if (pieces !== CHUNKS) throw new Error(`${pieces} of ${CHUNKS} chunks arrived`);
}
