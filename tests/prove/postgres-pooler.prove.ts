import { openPostgresStore } from "@dt/server/postgres";
import { storeContract } from "@dt/server/testing";
import { openDatabase } from "@dt/tooling/postgres";
import { expect, test } from "vitest";
import { openPgBouncer } from "../e2e/support/open-pgbouncer.js";
import { proveKills } from "../e2e/support/prove-kills.js";
import { recordProof } from "./record-proof.js";

const KILLS = 10;

test("through PgBouncer, the store keeps its contract, and a killed server loses and repeats nothing", async () => {
  const count = storeContract.length + KILLS;
  await recordProof("Postgres through PgBouncer, a connection per transaction", count, async () => {
    await using database = await openDatabase();
    await using pooler = await openPgBouncer(database.url);
    for (const [index, { name, check }] of storeContract.entries()) {
      const store = await openPostgresStore({ url: `${pooler.url}?schema=pooled_${index}` });
      await expect(check(store), name).resolves.toBeUndefined();
      await store.close();
    }

    const seed = Date.now() % 1_000_000;
    const { completed, interrupted } = await proveKills(KILLS, seed, { DT_STORE: pooler.url });

    return `held: ${storeContract.length} promises; ${completed} tasks completed, ${interrupted} ended as interrupted`;
  });
});
