// Runs the scenarios of one client, and reports the outcome of each scenario to the parent process.
import { openStage } from "./open-stage.mjs";
import { SCENARIOS } from "./scenarios.mjs";

// Timeout of a scenario. Without it, a client that waits forever would stop the whole run.
const SCENARIO_MS = 120_000;
const MAX_FAULT_LINES = 12;

// The channel to the parent process closes when the parent ends. This process then exits too.
process.on("disconnect", () => process.exit(1));

const setup = JSON.parse(process.argv[2]);
const { openClient } = await import(`./adapters/${setup.client.adapter}.mjs`);
const client = await openClient(await import(setup.entry), setup);

for (const name of setup.played) {
  const stage = openStage(setup, name);
  let fault;
  try {
    await Promise.race([SCENARIOS[name](client, stage), expire()]);
  } catch (reason) {
    fault = describe(reason);
  }
  await stage.close();
  await new Promise((resolve) => process.send({ name, fault }, resolve));
}
process.exit(0);

function expire() {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no end within ${SCENARIO_MS} ms`)), SCENARIO_MS).unref();
  });
}

function describe(reason) {
  const cause = reason?.cause === undefined ? "" : ` (${reason.cause?.message ?? reason.cause})`;
  const lines = String(reason?.stack ?? reason).split("\n");
  return `${lines.slice(0, MAX_FAULT_LINES).join("\n")}${cause}`;
}
