/** Number of shards. Only the shards that changed are saved. */
export const SHARDS = 64;

/**
 * A map with immutable values, divided into shards by the hash of the key. It records which shards have changed since
 * they were last saved.
 */
export class ShardedMap<TValue> extends Map<string, TValue> {
  private readonly shards: readonly Set<string>[] = Array.from({ length: SHARDS }, () => new Set());
  private readonly changed: Set<number>;

  /** `changed` gets the number of each shard that changes. Several maps may share it. */
  constructor(changed: Set<number>) {
    super();
    this.changed = changed;
  }

  override set(key: string, value: TValue): this {
    this.changed.add(this.putIn(key));
    return super.set(key, value);
  }

  /** Sets a value that was saved already. Its shard does not count as changed. */
  load(key: string, value: TValue): void {
    this.putIn(key);
    super.set(key, value);
  }

  override delete(key: string): boolean {
    if (!super.delete(key)) return false;
    const shard = shardOf(key);
    this.shards[shard]?.delete(key);
    this.changed.add(shard);
    return true;
  }

  /** Returns the entries of a shard as they are now. */
  entriesOf(shard: number): readonly (readonly [string, TValue])[] {
    return [...(this.shards[shard] ?? [])].map((key) => [key, this.get(key) as TValue]);
  }

  private putIn(key: string): number {
    const shard = shardOf(key);
    this.shards[shard]?.add(key);
    return shard;
  }
}

/** Returns the shard of a key, which depends on the FNV-1a hash of the key. */
function shardOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}
