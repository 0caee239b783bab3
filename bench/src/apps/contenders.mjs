import { median } from "../figures.mjs";
import { startDtServer } from "./dt-server.mjs";

/** Starts dt-server, and gemini-cli's A2A server (the peer) if it is measured too. */
export async function startContenders(own, { model, peer, hasProbe }) {
  const contenders = { dt: own(await startDtServer({ model, hasProbe })) };
  if (peer !== undefined) contenders.peer = own(await peer.start({ model, hasProbe }));
  return contenders;
}

/**
 * Runs the same work on one contender after the other in each round, so that the load of the machine affects
 * all of them equally. The work returns one or more figures. The result has, for each contender, the median
 * figure and the CPU time per round.
 */
export async function measureRounds(contenders, rounds, work) {
  const names = Object.keys(contenders);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  const cpuMs = Object.fromEntries(names.map((name) => [name, 0]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const before = contenders[name].cpuMs?.() ?? 0;
      figures[name].push(...[await work(contenders[name])].flat());
      cpuMs[name] += (contenders[name].cpuMs?.() ?? 0) - before;
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, { value: median(figures[name]), cpuMs: cpuMs[name] / rounds }]),
  );
}
