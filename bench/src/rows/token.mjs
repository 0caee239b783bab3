import { startChild } from "../child.mjs";
import { median, ms, timed, times } from "../figures.mjs";
import { readAll, streamBody } from "../rpc.mjs";

const EVENTS = 10_000;
const ROUNDS = 7;

/**
 * Time of a task of 10,000 events over SSE with a token, compared with the same task without a token. The
 * work without a token runs twice in each round, so that the row also shows how far two identical runs
 * differ.
 */
export const tokenRow = {
  name: "10,000 status updates over SSE with a token against without, sqlite store",
  budget: "≤ 1.03 ×, or within the spread of two identical runs",
  limit: 1.03,
  async run(own) {
    const server = own(await startChild("agent-server", { store: "sqlite" }));
    const run = (headers) =>
      timed(() =>
        readAll(server.url, streamBody(String(EVENTS), server.directory), undefined, { headers }),
      );
    const { token } = await server.ask("token");
    const withToken = { Authorization: `Bearer ${token}` };
    await run(withToken);
    await run({});

    const spent = { token: [], first: [], second: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      spent.first.push(await run({}));
      spent.token.push(await run(withToken));
      spent.second.push(await run({}));
    }
    const [guarded, first, second] = [spent.token, spent.first, spent.second].map(median);
    const spread = Math.max(first, second) / Math.min(first, second);
    const ratio = guarded / median([first, second]);
    const beside = `${ms(guarded)} against ${ms(first)} and ${ms(second)}, spread ${times(spread)}`;
    // If the ratio is not larger than the difference between two identical runs, it counts as 1.
    return { measured: `${times(ratio)} (${beside})`, value: ratio <= spread ? 1 : ratio };
  },
};
