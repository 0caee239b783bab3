import { expect, onTestFinished, test, vi } from "vitest";
import { createRemoteCredentials } from "./remote-credentials.js";

/** Opens the list of an instance. `shared` has the credentials that all instances have published. */
function openCredentials() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stage = {
    here: new Set<string>(["mine"]),
    shared: new Set<string>(["theirs"]),
    calls: [] as string[],
    faults: [] as unknown[],
    isAway: false,
  };
  const credentials = createRemoteCredentials({
    shared: {
      async publish(credential) {
        stage.calls.push(`publish ${credential}`);
        stage.shared.add(credential);
      },
      async withdraw(ended) {
        stage.calls.push(`withdraw ${ended}`);
        for (const credential of ended) stage.shared.delete(credential);
      },
      async findAlive(known) {
        stage.calls.push(`find ${known}`);
        if (stage.isAway) throw new Error("the store is away");
        return known.filter((credential) => stage.shared.has(credential));
      },
    },
    isAliveHere: (credential) => stage.here.has(credential),
    onFault: (reason) => stage.faults.push(reason),
  });
  return Object.assign(stage, {
    credentials,
    async pass(ms: number) {
      stage.calls.length = 0;
      await vi.advanceTimersByTimeAsync(ms);
      return [...stage.calls];
    },
  });
}

test("a credential is published once while it is alive, and withdrawn when it has ended [SRV-27]", async () => {
  const stage = openCredentials();

  await stage.credentials.publish("absent");
  await stage.credentials.publish("mine");
  await stage.credentials.publish("mine");
  const published = [...stage.calls];
  const early = await stage.pass(499);
  const alive = await stage.pass(1);
  stage.here.clear();
  const ended = await stage.pass(500);

  expect(published).toEqual(["publish mine"]);
  expect([early, alive, ended]).toEqual([[], ["find mine"], ["withdraw mine"]]);
  expect(await stage.pass(5_000)).toEqual([]);
});

test("a credential of another instance is alive until a check no longer finds it [SRV-27]", async () => {
  const stage = openCredentials();
  const outcomes: unknown[] = [stage.credentials.isAlive("theirs")];
  stage.credentials.adopt("theirs");

  for (const isShared of [true, true, false, false]) {
    if (!isShared) stage.shared.clear();
    outcomes.push([await stage.pass(500), stage.credentials.isAlive("theirs")]);
  }

  expect(outcomes).toEqual([
    false,
    [["find theirs"], true],
    [["find theirs"], true],
    [["find theirs"], false],
    [[], false],
  ]);
});

test("a credential whose record was lost is published again", async () => {
  const stage = openCredentials();
  await stage.credentials.publish("mine");
  stage.shared.clear();
  await stage.pass(500);
  stage.calls.length = 0;

  await stage.credentials.publish("mine");

  expect(stage.calls).toEqual(["publish mine"]);
});

test("a check that fails is reported and tried again, and a closed list checks nothing", async () => {
  const stage = openCredentials();
  stage.credentials.adopt("theirs");
  stage.isAway = true;
  await stage.pass(500);
  stage.isAway = false;

  const again = await stage.pass(500);
  stage.credentials.close();
  const closed = await stage.pass(5_000);
  stage.credentials.adopt("others");

  expect(stage.faults).toEqual([new Error("the store is away")]);
  expect([again, closed, await stage.pass(5_000)]).toEqual([["find theirs"], [], []]);
});
