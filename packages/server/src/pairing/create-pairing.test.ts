import { expect, test } from "vitest";
import { issueToken } from "../access/auth/issue-token.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createPairing, type PairedDevice } from "./create-pairing.js";

const START = Date.parse("2026-01-01T00:00:00.000Z");

function openStage() {
  const store = openMemoryStore();
  const paired: PairedDevice[] = [];
  let refusals = 0;
  let now = START;
  const pairing = createPairing({
    store,
    now: () => new Date(now),
    onPaired: (device) => paired.push(device),
    onTriedTooOften: () => {
      refusals += 1;
    },
  });
  return {
    store,
    pairing,
    paired,
    get refusals() {
      return refusals;
    },
    pass(ms: number) {
      now += ms;
    },
    pair: (name: string, earlierToken?: string) =>
      pairing.pair({ code: pairing.offer("approve"), name, earlierToken }),
  };
}

test("a device gets its own named token with the offered role, for thirty days [TEAM-02]", async () => {
  const stage = openStage();

  const { token, ...device } = await stage.pair("phone");

  expect(device).toEqual({
    name: "phone",
    role: "approve",
    pairedAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-31T00:00:00.000Z",
  });
  const [record, ...others] = await stage.store.listTokens();
  expect(others).toEqual([]);
  expect(record).toMatchObject({ name: "phone", role: "approve" });
  expect(record?.user).toMatch(/^device-[0-9a-f]{8}$/);
  expect(JSON.stringify(record)).not.toContain(token);
  expect(stage.paired).toEqual([{ name: "phone", role: "approve", pairedAt: device.pairedAt }]);
});

test("two devices are two users, with different names", async () => {
  const stage = openStage();
  await stage.pair("phone");
  await stage.pair("phone");

  const tokens = await stage.store.listTokens();

  expect(tokens.map(({ name }) => name).sort()).toEqual(["phone", "phone-2"]);
  expect(new Set(tokens.map(({ user }) => user)).size).toBe(2);
});

test("if two devices send a code at the same time, only one of them is paired", async () => {
  const { pairing, store } = openStage();
  const code = pairing.offer("observe");

  const results = await Promise.allSettled(
    ["one", "two"].map((name) => pairing.pair({ code, name })),
  );

  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(await store.listTokens()).toHaveLength(1);
});

test("after five wrong codes, the right code is refused too, and a callback reports this [TEAM-02]", async () => {
  const stage = openStage();
  const code = stage.pairing.offer("approve");
  const messages: string[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const tried = attempt < 5 ? "wrong" : code;
    await stage.pairing
      .pair({ code: tried, name: "x" })
      .catch(({ message }) => messages.push(message));
  }

  expect(messages).toEqual([
    "the code is wrong; attempts left: 4",
    "the code is wrong; attempts left: 3",
    "the code is wrong; attempts left: 2",
    "the code is wrong; attempts left: 1",
    "the code was wrong too often; type /share in the terminal for a new code",
    expect.stringContaining("no device can be paired now"),
  ]);
  expect(stage.refusals).toBe(1);
  expect(await stage.store.listTokens()).toEqual([]);
});

test("a code ends after ten minutes, or when another code is offered [TEAM-02]", async () => {
  const stage = openStage();
  const expired = stage.pairing.offer("approve");
  stage.pass(10 * 60_000);
  await expect(stage.pairing.pair({ code: expired, name: "x" })).rejects.toThrow("no device can");
  const replaced = stage.pairing.offer("admin");
  const last = stage.pairing.offer("observe");

  await expect(stage.pairing.pair({ code: replaced, name: "x" })).rejects.toThrow("is wrong");
  expect(await stage.pairing.pair({ code: last, name: "x" })).toMatchObject({ role: "observe" });
});

test("a revoked device is no longer listed and can pair again under its name [TEAM-02]", async () => {
  const stage = openStage();
  await stage.pair("phone");

  expect(await stage.pairing.revoke("phone")).toBe(true);
  expect(await stage.pairing.revoke("phone")).toBe(false);
  expect(await stage.pairing.listDevices()).toEqual([]);
  stage.pass(1);
  expect(await stage.pair("phone")).toMatchObject({ name: "phone" });
});

test("a device that pairs again keeps its name and loses its earlier token", async () => {
  const stage = openStage();
  const { token } = await stage.pair("phone");
  stage.pass(1);

  expect(await stage.pair("phone", token)).toMatchObject({ name: "phone" });
  expect(await stage.pairing.listDevices()).toHaveLength(1);
});

test("pairing neither lists nor revokes the tokens of people", async () => {
  const stage = openStage();
  const ada = { user: "ada", name: "laptop", role: "admin", now: new Date(START) } as const;
  const token = await issueToken(stage.store, ada);

  await stage.pair("phone", token);
  await stage.pair("tablet", `${token.slice(0, -1)}_`);

  expect(await stage.pairing.revoke("laptop")).toBe(false);
  const names = (await stage.pairing.listDevices()).map(({ name }) => name);
  expect(names.sort()).toEqual(["phone", "tablet"]);
  expect((await stage.store.listTokens()).filter(({ revokedAt }) => revokedAt)).toEqual([]);
});

test("devices are listed in the order of pairing, with their last use", async () => {
  const stage = openStage();
  const names = ["zebra", "apple", "mango"];
  for (const name of names) {
    await stage.pair(name);
    stage.pass(1_000);
  }
  const [first] = (await stage.store.listTokens()).filter(({ name }) => name === "zebra");
  await stage.store.noteTokenUse(first?.id ?? "", "2026-01-02T00:00:00.000Z");

  const devices = await stage.pairing.listDevices();

  expect(devices.map(({ name }) => name)).toEqual(names);
  expect(devices[0]).toEqual({
    name: "zebra",
    role: "approve",
    pairedAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-31T00:00:00.000Z",
    lastUsedAt: "2026-01-02T00:00:00.000Z",
  });
  expect(devices[1]).not.toHaveProperty("lastUsedAt");
});

test("the error for a refused code says why, and what to do", async () => {
  const { pairing, store } = openStage();
  const advice = "type /share in the terminal for a new code";

  await expect(pairing.pair({ code: "x", name: "x" })).rejects.toMatchObject({
    code: "forbidden",
    message: `no device can be paired now, because a code works once and for ten minutes; ${advice}`,
  });
  expect(await store.listTokens()).toEqual([]);
});

test("a device is listed until its thirty days are over", async () => {
  const stage = openStage();
  await stage.pair("phone");
  const count = async () => (await stage.pairing.listDevices()).length;

  stage.pass(30 * 24 * 60 * 60_000 - 1);
  const before = await count();
  stage.pass(1);

  expect([before, await count()]).toEqual([1, 0]);
});

test("a pairing without callbacks works, and uses the clock of the machine by default", async () => {
  const pairing = createPairing({ store: openMemoryStore() });
  const code = pairing.offer("observe");
  for (let attempt = 0; attempt < 5; attempt += 1)
    await expect(pairing.pair({ code: "wrong", name: "x" })).rejects.toThrow("the code");
  const { pairedAt } = await pairing.pair({ code: pairing.offer("observe"), name: "x" });

  expect(code).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
  expect(Math.abs(Date.parse(pairedAt) - Date.now())).toBeLessThan(600_000);
});

test("a device gets no new token if its earlier token cannot be revoked", async () => {
  const stage = openStage();
  const { token } = await stage.pair("phone");
  stage.store.revokeToken = () => Promise.reject(new Error("disk full"));

  await expect(stage.pair("phone", token)).rejects.toThrow("disk full");
  expect(await stage.store.listTokens()).toHaveLength(1);
});
