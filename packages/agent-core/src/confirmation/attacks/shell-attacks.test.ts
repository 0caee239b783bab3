import { expect, test } from "vitest";
import { attacks, careless, covered, suspiciousCommands } from "./attack-data.test-support.js";
import { type AttackStage, openAttackStage } from "./attack-stage.test-support.js";

test('no attack runs without a question, even after careless "always" answers [SEC-07]', async () => {
  await using stage = await openCarelessStage();

  expect(attacks.length).toBeGreaterThan(234);
  expect(await findAllowed(stage, attacks)).toEqual([]);
  expect(await findAllowed(stage, suspiciousCommands)).toEqual([]);
});

test('commands that "always" answers allow run without a question and change nothing [SEC-07]', async () => {
  await using stage = await openCarelessStage();

  expect(await findAllowed(stage, covered)).toEqual(covered);
  const traces = await stage.run(covered);
  expect([...traces.values()]).toEqual(covered.map(() => ({ changed: [], hasReadSecret: false })));
});

// `npm run prove` runs all listed attacks.
test("a sample of the listed attacks works in bash [SEC-07]", async () => {
  await using stage = await openAttackStage();
  const some = attacks.filter((_, index) => index % 10 === 0);

  expect(await stage.findInert(some)).toEqual([]);
});

async function openCarelessStage(): Promise<AttackStage> {
  const stage = await openAttackStage();
  for (const command of careless) await stage.allowAlways(command);
  return stage;
}

async function findAllowed(
  stage: AttackStage,
  commands: readonly string[],
): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const command of commands) if (await stage.isAllowed(command)) allowed.push(command);
  return allowed;
}
