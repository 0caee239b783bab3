import { expect, test } from "vitest";
import { createGcsState } from "../state/gcs-state.js";
import { SHARDS } from "../state/sharded-map.js";
import { decodeShard, encodeShard, takeShard } from "./shard-codec.js";

test("shards are decoded to the tables from which they were taken", () => {
  const { tables } = createGcsState();
  for (let index = 0; index < 300; index += 1) {
    tables.unprojected.set(`task\n${index}`, true);
    tables.uses.set(`account ${index}`, { tokens: index, nanos: 2 * index });
  }
  const { tables: copy, changed } = createGcsState();

  for (let shard = 0; shard < SHARDS; shard += 1) {
    decodeShard(encodeShard(takeShard(tables, shard)) ?? "", copy);
  }

  const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort();
  expect(sorted(copy.unprojected)).toEqual(sorted(tables.unprojected));
  expect(sorted(copy.uses)).toEqual(sorted(tables.uses));
  expect(copy.sessions.size).toBe(0);
  expect(changed.size).toBe(0);
});

test("an empty shard has no text, and a table of a newer version is left out", () => {
  const { tables } = createGcsState();

  decodeShard('["tables of tomorrow","a",1]\n["uses","b",{"tokens":1,"nanos":2}]\n', tables);

  expect([...tables.uses]).toEqual([["b", { tokens: 1, nanos: 2 }]]);
  expect(encodeShard(takeShard(createGcsState().tables, 0))).toBeUndefined();
});
