import { measureRounds, startContenders } from "../apps/contenders.mjs";
import { startModelServer } from "../apps/model-server.mjs";
import { mb, median, ms } from "../figures.mjs";
import { runTurn } from "../rpc.mjs";

const ROUNDS = 5;

/** A command prints 5 MB. Measures how many bytes the client receives, and the time until the turn ends. */
export const shellOutputRow = {
  name: "5 MB of shell output, bytes on the wire",
  budget: "≤ 0.2 MB",
  limit: 0.2 * 1024 * 1024,
  async run(own, { peer }) {
    const { gemini: model } = own(await startModelServer());
    const contenders = await startContenders(own, { model, peer });
    const took = new Map();
    const work = async (app) => {
      const { bytes, totalMs } = await runTurn(app, "bench shell", { autoExecute: true });
      took.set(app, [...(took.get(app) ?? []), totalMs]);
      return bytes;
    };
    const found = await measureRounds(contenders, ROUNDS, work);
    // Example of a note: "in 300 ms; the peer in 2600 ms".
    const times = Object.values(contenders).map((app) => ms(median(took.get(app))));
    return {
      value: found.dt.value,
      format: mb,
      peer: found.peer?.value,
      cpuMs: found.dt.cpuMs,
      per: "turn",
      note: `in ${times.join("; the peer in ")}`,
    };
  },
};
