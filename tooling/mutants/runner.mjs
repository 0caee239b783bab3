// A long-lived vitest in one copy of the repository. It runs the test files that its parent sends.
import fs from "node:fs";
import path from "node:path";
import { createVitest } from "vitest/node";
import { selectionOf } from "./scratch.mjs";

const copy = process.argv[2];
const vitest = await createVitest(
  "test",
  {
    root: copy,
    config: path.join(copy, "vitest.config.ts"),
    watch: false,
    reporters: [{}],
    maxWorkers: 1,
    // Test files of one run share one worker, which loads each module only once.
    isolate: false,
    bail: 1,
    testTimeout: 15_000,
    hookTimeout: 15_000,
    teardownTimeout: 3_000,
  },
  { server: { watch: null } },
);

process.on("message", async ({ tests, mutant, trace }) => {
  fs.writeFileSync(selectionOf(copy), `${mutant}\n${trace ?? ""}`);
  const started = Date.now();
  process.send({ ...(await run(tests)), elapsed: Date.now() - started });
});
process.on("disconnect", () => process.exit(0));
process.send({ isReady: true });

async function run(tests) {
  // Removes the results of the last run, because its failures would count towards `bail`.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  vitest.state.errorsSet.clear();
  const specifications = await vitest.globTestSpecifications(
    tests.map((test) => path.join(copy, test)),
  );
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const failed = testModules.flatMap((module) => [
    ...module.errors().map((error) => error.message),
    ...[...module.children.allTests("failed")].map(
      (testCase) => `${testCase.fullName}: ${testCase.result().errors?.[0]?.message ?? ""}`,
    ),
    ...[...module.children.allSuites()].flatMap((suite) => suite.errors().map((e) => e.message)),
  ]);
  const failing = testModules.flatMap((module) => (module.ok() ? [] : [module.relativeModuleId]));
  const faults = [...failed, ...unhandledErrors.map((error) => String(error?.message ?? error))];
  const passed = testModules.reduce(
    (sum, module) => sum + [...module.children.allTests("passed")].length,
    0,
  );
  const isGreen = faults.length === 0 && passed > 0;
  return { isGreen, fault: faults[0]?.slice(0, 300), failedIn: failing[0] };
}
