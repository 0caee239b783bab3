import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "./migrate.js";
import { describeAddress, openConnections } from "./open-connections.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const open = (url: string) => openConnections({ url, maxConnections: 1, timeoutMs: 60_000 });

/** Opens connections through a proxy that a test can break. */
async function openBreakable() {
  const { hostname, port } = new URL(database.url);
  const stage = { breaks: 0, opened: 0 };
  const sockets = new Set<Socket>();
  const proxy = createServer((inner) => {
    stage.opened += 1;
    const outer = connect(Number(port), hostname);
    sockets.add(inner);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.on("data", (chunk) => {
        if (from === inner && stage.breaks > 0) {
          stage.breaks -= 1;
          inner.destroy();
        } else to.write(chunk);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: proxied } = proxy.address() as AddressInfo;
  const connections = await open(database.url.replace(`:${port}/`, `:${proxied}/`));
  return {
    stage,
    connections,
    async [Symbol.asyncDispose]() {
      await connections.close();
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

const one = { text: "SELECT 1 AS one" };

test("a read is tried once more on another connection if its connection breaks [LOG-07]", async () => {
  await using breakable = await openBreakable();
  const { stage, connections } = breakable;
  const before = stage.opened;

  stage.breaks = 1;
  const rows = await connections.query(one);

  expect(rows).toEqual([{ one: 1 }]);
  expect(stage.opened).toBe(before + 1);
});

test("a read whose connection breaks twice fails, and the next read succeeds [LOG-07]", async () => {
  await using breakable = await openBreakable();
  const { stage, connections } = breakable;

  stage.breaks = 2;
  const failed = connections.query(one);

  await expect(failed).rejects.toMatchObject({
    kind: "store-gone",
    message: expect.stringMatching(/cannot be reached \(.*\); nothing is stored until it answers/),
  });
  expect(await connections.query(one)).toEqual([{ one: 1 }]);
});

test("a statement that must not run twice is not repeated after its connection breaks [LOG-07]", async () => {
  await using breakable = await openBreakable();
  const { stage, connections } = breakable;

  stage.breaks = 1;

  await expect(connections.execute(one)).rejects.toThrow(/terminated|ECONNRESET|closed/i);
  expect(await connections.execute(one)).toEqual([{ one: 1 }]);
});

test("an error of the server is thrown unchanged, and the statement is sent once", async () => {
  const connections = await open(database.url);
  await connections.execute({ text: "CREATE SEQUENCE tries" });

  const failed = connections.query({ text: "SELECT nextval('tries') / 0" });

  await expect(failed).rejects.toMatchObject({ code: "22012", message: "division by zero" });
  expect(await connections.query({ text: "SELECT last_value FROM tries" })).toEqual([
    { last_value: "1" },
  ]);
  await connections.close();
});

test("a failed transaction changes nothing, and the next one gets its result", async () => {
  const connections = await open(database.url);
  await connections.execute({ text: "CREATE TABLE counted (count integer)" });
  const add = async (isFailing: boolean) =>
    await connections.transact(async (run) => {
      await run({ text: "INSERT INTO counted VALUES ($1)", values: [1] });
      if (isFailing) throw new Error("no");
      return (await run({ text: "SELECT count FROM counted" })).length;
    });

  await expect(add(true)).rejects.toThrow("no");

  expect(await add(false)).toBe(1);
  await connections.close();
  await connections.close();
  for (const work of [connections.query(one), connections.execute(one), add(false)])
    await expect(work).rejects.toThrow("the store is closed");
});

test("a NUL in a text or in a list of texts is replaced, because Postgres cannot store it", async () => {
  const connections = await open(database.url);

  const rows = await connections.query({
    text: "SELECT $1::text AS text, $2::text[] AS list, $3::integer AS number",
    values: ["a\0b", ["c\0", "d"], 7],
  });

  expect(rows).toEqual([{ text: "a\ufffdb", list: ["c\ufffd", "d"], number: 7 }]);
  await connections.close();
});

test.each([
  ["postgres://ada:secret@host:5433/db?a=b", "host:5433/db"],
  ["postgres:///db", "on this machine/db"],
  ["postgres://%2Frun%2Fpostgres/db", "/run/postgres/db"],
  ["not an address", "in DT_STORE"],
])("the database at %s is described as %s", (url, description) => {
  expect(describeAddress(url)).toBe(description);
});

test("a database that does not wait for the disk is refused [LOG-01]", async () => {
  const url = new URL(database.url);
  url.searchParams.set("options", "-c synchronous_commit=off");
  const connections = await open(url.href);

  await expect(migrate(connections, { schema: "unsafe" })).rejects.toMatchObject({
    name: "SetupError",
    message: expect.stringContaining("has synchronous_commit = off, so a loss of power would lose"),
  });
  expect(await database.query("SELECT to_regnamespace('unsafe') AS found")).toEqual([
    { found: null },
  ]);
  await connections.close();
});

test("a database with another encoding than UTF-8 is refused", async () => {
  await database.query(
    "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
  );
  const url = new URL(database.url);
  url.pathname = "latin";
  const connections = await open(url.href);

  await expect(migrate(connections, { schema: "dt" })).rejects.toThrow(
    /has the encoding LATIN1; create it with ENCODING 'UTF8'/,
  );
  await connections.close();
  await database.query("DROP DATABASE latin WITH (FORCE)");
});
