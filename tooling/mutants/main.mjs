// `npm run mutants`: puts small faults into the sources, one by one, and reports which faults tests notice.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { findStale, isSameFault, readEquivalents } from "./equivalents.mjs";
import { openRunner } from "./open-runner.mjs";
import { measureReach } from "./reach.mjs";
import {
  countByPackage,
  formatFate,
  formatSurvivor,
  formatTable,
  isShareReached,
} from "./report.mjs";
import { takeSample } from "./sample.mjs";
import { openScratch } from "./scratch.mjs";
import { openSources } from "./sources.mjs";
import { isBesideTarget, LEFT_OUT, TARGETS } from "./targets.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const { values: options } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    package: { type: "string" },
    file: { type: "string" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "15" },
    files: { type: "string", default: "15" },
    seconds: { type: "string", default: "30" },
    runners: { type: "string", default: String(Math.min(4, os.availableParallelism())) },
    near: { type: "boolean", default: false },
    survivors: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const seed = Number(options.seed);
const equivalents = readEquivalents();

/** Number of test files per vitest run. */
const BATCH_SIZE = 5;

/** Number of mutants before and after a mutant that {@link costOf} counts as nearby. */
const NEIGHBOURS = 40;

/** The file with the mutants that no test noticed in the last run. `--survivors` runs only these mutants. */
const survivorsFile = path.join(root, "node_modules", ".cache", "dt-mutants-survivors.json");

const print = (line) => process.stderr.write(`${line}\n`);
process.exitCode = await main();

async function main() {
  print("reading the sources");
  const sources = openSources(root);
  const stale = findStale(equivalents, sources.mutants);
  print(`${sources.mutants.length} possible faults; building copies that contain all of them`);
  const scratch = openScratch(root, sources.mutants, Number(options.runners));
  const sample = choose(sources);
  sources.close();
  const runners = scratch.copies.map((copy) => openRunner(copy));
  const leave = async () => {
    await Promise.all(runners.map((runner) => runner.close()));
    scratch.close();
  };
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void leave().then(() => process.exit(130)));
  try {
    const reach = await measureReach({
      root,
      tests: listTests(sample),
      runners,
      ...scratch,
      print,
    });
    const outcomes = await tryAll(sample, reach, runners);
    return report(outcomes, stale);
  } finally {
    await leave();
  }
}

function choose(sources) {
  if (options.survivors) {
    const last = JSON.parse(fs.readFileSync(survivorsFile, "utf8"));
    return sources.mutants.filter((mutant) => last.some((known) => isSameFault(known, mutant)));
  }
  const isListed = (mutant) => equivalents.some((known) => isSameFault(known, mutant));
  const chosen = Object.keys(TARGETS)
    .filter((name) => options.package === undefined || options.package === name)
    .flatMap((name) => {
      const ofPackage = sources.mutants.filter(
        (mutant) => mutant.package === name && mutant.file.includes(options.file ?? ""),
      );
      return takeSample(ofPackage, {
        seed,
        count: options.full ? ofPackage.length : Number(options.count),
        isSkipped: (mutant) => isListed(mutant) || !sources.compiles(mutant),
      });
    });
  print(`seed ${seed}: ${chosen.length} faults that compile`);
  return chosen;
}

/** Lists the tests of the sampled packages and tests/e2e, or with `--near` only tests beside the targets. */
function listTests(sample) {
  const packages = [...new Set(sample.map((mutant) => mutant.package))];
  const folders = packages.map((name) => `packages/${name}/src`);
  const isNear = (file) => packages.some((name) => isBesideTarget(name, file));
  return [...folders, ...(options.near ? [] : ["tests/e2e"])].flatMap((name) =>
    fs
      .readdirSync(path.join(root, name), { recursive: true })
      .filter((file) => /\.test\.ts$/.test(file))
      .map((file) => path.join(name, file))
      .filter((file) => !LEFT_OUT.some((pattern) => pattern.test(file)))
      .filter((file) => !options.near || isNear(file))
      .sort(),
  );
}

/** Runs, for every mutant, the tests that reach it. */
async function tryAll(sample, reach, runners) {
  const outcomes = [];
  const waiting = [...sample];
  await Promise.all(
    runners.map(async (runner) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const outcome = await tryMutant(next, reach, runner);
        outcomes.push(outcome);
        const by = outcome.isNoticed ? `noticed by ${outcome.by}` : formatFate(outcome);
        print(
          `${outcomes.length}/${sample.length} ${next.file}:${next.line} ${next.change}: ${by}`,
        );
        if (options.verbose && outcome.fault) print(`    ${outcome.fault}`);
      }
    }),
  );
  return outcomes;
}

async function tryMutant(mutant, reach, runner) {
  const tests = [...reach]
    .filter(([, { isGreen, reached }]) => isGreen && reached.has(mutant.id))
    .map(([test, about]) => [test, { ...about, cost: costOf(test, about, mutant) }])
    .sort(([, one], [, other]) => one.cost - other.cost);
  let remainingMs = Number(options.seconds) * 1000;
  let count = 0;
  let undecided = 0;
  for (const { batch, isFar } of batchesOf(tests, mutant)) {
    if (isFar && remainingMs < 0) break;
    const elapsed = batch.reduce((sum, [, test]) => sum + test.elapsed, 0);
    const names = batch.map(([test]) => test);
    if (isFar) remainingMs -= elapsed;
    count += batch.length;
    const limit = 30_000 + 3 * elapsed;
    const outcome = await runner.run({ tests: names, mutant: mutant.id }, limit);
    if (outcome.isGreen) continue;
    // A test in tests/e2e, or a test that timed out, may have failed because the machine is slow. Such a
    // test runs again without the mutant. If it passes then, the mutant was the cause of the failure.
    const isDoubtful = isFar || /timed out|no end within/.test(outcome.fault ?? "");
    if (isDoubtful && !(await runner.run({ tests: names, mutant: 0 }, limit)).isGreen) {
      undecided += batch.length;
      continue;
    }
    return { mutant, isNoticed: true, by: outcome.failedIn ?? names[0], fault: outcome.fault };
  }
  return { mutant, isNoticed: false, tests: count, undecided };
}

/**
 * Estimates the cost of a test: its duration, divided by the number of nearby mutants that it reaches. The test
 * named after the mutated file costs nothing, so that it runs first.
 */
function costOf(test, { elapsed, reached }, { id, file }) {
  if (test === file.replace(/\.ts$/, ".test.ts")) return 0;
  let near = 0;
  for (let other = id - NEIGHBOURS; other <= id + NEIGHBOURS; other += 1)
    if (reached.has(other)) near += 1;
  return elapsed / near;
}

/**
 * Groups tests into batches. Test files of packages (near) run together, and each file of tests/e2e (far)
 * runs alone. Without `--full`, the batches contain only the first near files, as many as `--files` says, and
 * all near files in the folder of the mutated file.
 */
function batchesOf(tests, { file }) {
  const maxFiles = options.full ? tests.length : Number(options.files);
  const near = tests
    .filter(([test]) => test.startsWith("packages/"))
    .filter(([test], index) => index < maxFiles || path.dirname(test) === path.dirname(file));
  const far = tests.filter(([test]) => !test.startsWith("packages/"));
  const batches = [];
  for (let from = 0; from < near.length; from += BATCH_SIZE)
    batches.push({ batch: near.slice(from, from + BATCH_SIZE), isFar: false });
  return [...batches, ...far.map((test) => ({ batch: [test], isFar: true }))];
}

function report(outcomes, stale) {
  const counts = countByPackage(outcomes);
  const survivors = outcomes.filter(({ isNoticed }) => !isNoticed);
  const faults = survivors.map(({ mutant: { file, code, change } }) => ({ file, code, change }));
  fs.writeFileSync(survivorsFile, JSON.stringify(faults));
  const lines = survivors.map(formatSurvivor).sort();
  const known = `${equivalents.length} equivalent faults are listed in tooling/mutants/equivalents.json.`;
  process.stdout.write(`\nseed ${seed}\n\n${formatTable(counts)}\n\n${known}\n`);
  if (lines.length > 0) process.stdout.write(`\nsurvived:\n${lines.join("\n")}\n`);
  if (stale.length > 0) {
    const entries = stale.map(({ file, code, change }) => `${file}  ${code}  (${change})`);
    process.stdout.write(`\nstale in equivalents.json:\n${entries.join("\n")}\n`);
  }
  return isShareReached(counts) ? 0 : 1;
}
