import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import pg from "pg";

/** Creates an empty database on the server that all test files of this run share. */
export async function openDatabase() {
  const address = process.env.DT_TEST_POSTGRES;
  if (address === undefined)
    throw new Error("the tests run without the set-up of vitest.config.ts");
  return await createDatabase(await text(connect(address)));
}

/** Creates an empty database on a server. */
export async function createDatabase(serverUrl) {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await query(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return {
    url: url.href,
    query: (sql) => query(url.href, sql),
    [Symbol.asyncDispose]: () => query(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
