import type { Tables } from "../state/gcs-state.js";
import type { ShardedMap } from "../state/sharded-map.js";

/** The entries of one shard, by table. */
export type ShardEntries = ReadonlyMap<
  keyof Tables,
  readonly (readonly [key: string, value: unknown])[]
>;

/** Returns the current entries of a shard. */
export function takeShard(tables: Tables, shard: number): ShardEntries {
  const names = Object.keys(tables) as (keyof Tables)[];
  return new Map(names.map((name) => [name, tables[name].entriesOf(shard)]));
}

/** Encodes a shard as lines of JSON, each with a table, a key and a value; undefined if it is empty. */
export function encodeShard(entries: ShardEntries): string | undefined {
  const lines = [...entries].flatMap(([table, rows]) =>
    rows.map(([key, value]) => JSON.stringify([table, key, value])),
  );
  return lines.length === 0 ? undefined : `${lines.join("\n")}\n`;
}

/** Inverse of {@link encodeShard}: adds the entries to the tables. */
export function decodeShard(text: string, tables: Tables): void {
  for (const line of text.split("\n").slice(0, -1)) {
    const [table, key, value] = JSON.parse(line) as [keyof Tables, string, never];
    // A table that this version does not have is left out.
    (tables[table] as ShardedMap<never> | undefined)?.load(key, value);
  }
}
