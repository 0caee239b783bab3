import { expect, test } from "vitest";
import { SHARDS, ShardedMap } from "./sharded-map.js";

function openMap() {
  const changed = new Set<number>();
  const map = new ShardedMap<number>(changed);
  const shardOf = (key: string) =>
    Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) =>
      map.entriesOf(shard).some(([each]) => each === key),
    );
  return { map, changed, shardOf };
}

test("a key that is set or deleted marks its shard as changed, and a loaded key does not", () => {
  const { map, changed, shardOf } = openMap();

  map.load("a", 1);
  const loaded = changed.size;
  map.set("a", 2);
  const set = [...changed];
  changed.clear();
  map.delete("unknown");
  const unknown = changed.size;
  map.delete("a");

  expect([loaded, unknown]).toEqual([0, 0]);
  expect(set).toHaveLength(1);
  expect([...changed]).toEqual(set);
  expect(shardOf("a")).toEqual([]);
});

test("each key is in one shard with its last value, and many keys use all shards", () => {
  const { map, changed, shardOf } = openMap();

  for (let index = 0; index < 2_000; index += 1) map.set(`key-${index}`, index);
  map.set("key-7", 8);

  const [shard = -1] = shardOf("key-7");
  expect(shardOf("key-7")).toHaveLength(1);
  expect(map.entriesOf(shard)).toContainEqual(["key-7", 8]);
  expect(map.entriesOf(SHARDS)).toEqual([]);
  expect(changed).toEqual(new Set(Array.from({ length: 64 }, (_, index) => index)));
});

test("keys stay in the shards in which earlier releases have stored them", () => {
  const { map, shardOf } = openMap();
  const keys = ["", "a", "context-1", "ü\ud83d\ude00"];
  for (const key of keys) map.set(key, 0);

  expect(keys.map((key) => shardOf(key)[0])).toEqual([5, 44, 54, 54]);
});
