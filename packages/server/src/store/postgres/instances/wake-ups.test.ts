import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWakeUps } from "./wake-ups.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

test("each key reaches every other instance once, and not the instance that sent it [SRV-27]", async () => {
  const options = { url: database.url, channel: "dt_keys", isEnabled: true };
  const one = openWakeUps(options);
  const two = openWakeUps(options);
  const off = openWakeUps({ ...options, isEnabled: false });
  const heard = { one: [] as string[], two: [] as string[], off: 0 };
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const all = new Promise<void>((resolve) => {
    two.subscribe((keys) => {
      heard.two.push(...keys);
      if (heard.two.length >= 250) resolve();
    });
  });
  one.subscribe((keys) => heard.one.push(...keys));
  off.subscribe(() => {
    heard.off += 1;
  });
  await Promise.all([one, two].map(untilListening));

  const keys = Array.from({ length: 250 }, (_, index) => `key${index}`);
  for (const key of [...keys, ...keys]) one.note(key);
  off.note("unheard");
  await all;

  expect(heard).toEqual({ one: [], two: keys, off: 0 });
  expect([one.isListening, off.isListening]).toEqual([true, false]);
  // The driver warns if a connection gets a statement while it executes another one.
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
  await Promise.all([one, two, off].map((each) => each.close()));
});

test("after a broken connection, a subscriber is called with isAll once, and then with keys [SRV-27]", async () => {
  const options = { url: database.url, channel: "dt_broken", isEnabled: true };
  const one = openWakeUps(options);
  await untilListening(one);
  const calls: unknown[] = [];
  const unsubscribe = one.subscribe((keys, isAll) => calls.push([[...keys], isAll]));
  const again = untilListening(one);

  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN "dt_broken"'`,
  );
  await again;
  const heard = new Promise<void>((resolve) => void one.subscribe(() => resolve()));
  await database.query(`SELECT pg_notify('dt_broken', 'a,b')`);
  await heard;
  unsubscribe();
  await database.query(`SELECT pg_notify('dt_broken', 'c')`);

  expect(calls).toEqual([
    [[], true],
    [["a", "b"], false],
  ]);
  await one.close();
});

test("the connection is opened again after each of several breaks [SRV-27]", async () => {
  const options = { url: database.url, channel: "dt_twice", isEnabled: true };
  const one = openWakeUps(options);
  await untilListening(one);

  for (let count = 0; count < 2; count += 1) {
    const again = untilListening(one);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN "dt_twice"'`,
    );
    await again;
  }

  expect(one.isListening).toBe(true);
  await one.close();
});

test("keys of the last moment are sent before the connection closes", async () => {
  const options = { url: database.url, channel: "dt_last", isEnabled: true };
  const [one, two] = [openWakeUps(options), openWakeUps(options)];
  await Promise.all([one, two].map(untilListening));
  const heard = new Promise((resolve) => void two.subscribe((keys) => resolve([...keys])));

  one.note("last");
  await one.close();

  expect(await heard).toEqual(["last"]);
  await two.close();
});

/** Resolves at the next call with `isAll`, which follows each connect. */
async function untilListening(wakeUps: ReturnType<typeof openWakeUps>): Promise<void> {
  await new Promise<void>((resolve) => {
    const unsubscribe = wakeUps.subscribe((_keys, isAll) => {
      if (!isAll) return;
      unsubscribe();
      resolve();
    });
  });
}
