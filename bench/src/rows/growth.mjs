import { scoped, startChild } from "../child.mjs";
import { median, times } from "../figures.mjs";
import { readAll, streamBody } from "../rpc.mjs";

const WINDOW_EVENTS = 2_000;

/** Time of an event late in a long task, compared with an early event of the same task. */
export const growthRow = (store, { last = 100_000, rounds = 5 } = {}) => ({
  name: `cost of event ${last.toLocaleString("en")} against event 1,000 of one task, ${store} store`,
  budget: "≤ 1.1 ×",
  limit: 1.1,
  async run() {
    const ratios = [];
    for (let round = 0; round < rounds; round += 1)
      ratios.push(await scoped((own) => measureOnce(store, last + WINDOW_EVENTS, own)));
    const ratio = median(ratios);
    return { measured: times(ratio), value: ratio };
  },
});

async function measureOnce(store, events, own) {
  const server = own(await startChild("agent-server", { store }));
  // The first events of a process are slow, because its code is not compiled yet.
  await readAll(server.url, streamBody("20000", server.directory));
  const arrivals = [];
  let seen = 0;
  await readAll(server.url, streamBody(String(events), server.directory), (chunk) => {
    seen += countEvents(chunk);
    arrivals.push([seen, performance.now()]);
  });
  const early = medianTimePerEvent(arrivals, 1_000, 12_000);
  const late = medianTimePerEvent(arrivals, events - 11_000, events);
  return late / early;
}

function countEvents(chunk) {
  let count = 0;
  for (let at = chunk.indexOf("data: "); at !== -1; at = chunk.indexOf("data: ", at + 6))
    count += 1;
  return count;
}

/** Returns the median time per event over the windows of 2,000 events between two event numbers. */
function medianTimePerEvent(arrivals, from, to) {
  const times = [];
  for (let start = from; start + WINDOW_EVENTS <= to; start += WINDOW_EVENTS) {
    const first = arrivals.find(([count]) => count >= start);
    const last = arrivals.find(([count]) => count >= start + WINDOW_EVENTS);
    if (first !== undefined && last !== undefined) {
      times.push((last[1] - first[1]) / (last[0] - first[0]));
    }
  }
  return median(times);
}
