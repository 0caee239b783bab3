import { createMemoryTokens } from "../memory/memory-tokens.js";
import type { TokenRecord, TokenStore } from "../token-store.js";
import type { ObjectBucket } from "./bucket/object-bucket.js";
import { toBucketStoreFault } from "./log/taken-over.js";
import { createSharedObject } from "./shared-object.js";

/** Name of the object with all tokens. Commands change it while a server runs. */
const TOKENS_NAME = "tokens.json";

type Tokens = Map<string, TokenRecord>;

/** Creates the tokens of a bucket. `checkOpen` throws if the store is closed. */
export function createGcsTokens(bucket: ObjectBucket, checkOpen: () => void): TokenStore {
  const shared = createSharedObject<Tokens>({
    bucket,
    name: TOKENS_NAME,
    decode: (json) =>
      new Map((JSON.parse(json ?? "[]") as TokenRecord[]).map((token) => [token.id, token])),
    encode: (tokens) => JSON.stringify([...tokens.values()]),
  });

  async function read<TResult>(work: (tokens: TokenStore) => Promise<TResult>): Promise<TResult> {
    checkOpen();
    const tokens = await shared.read().catch(fail);
    return await work(createMemoryTokens(checkOpen, tokens));
  }

  async function update<TResult>(work: (tokens: TokenStore) => Promise<TResult>): Promise<TResult> {
    checkOpen();
    const change = (tokens: Tokens) => work(createMemoryTokens(checkOpen, tokens));
    return await shared.update(change).catch(fail);
  }

  return {
    createToken: (token) => update((tokens) => tokens.createToken(token)),
    findTokens: (ids) => read((tokens) => tokens.findTokens(ids)),
    listTokens: () => read((tokens) => tokens.listTokens()),
    revokeToken: (name, at) => update((tokens) => tokens.revokeToken(name, at)),
    noteTokenUse: (id, at) => update((tokens) => tokens.noteTokenUse(id, at)),
  };
}

function fail(error: unknown): never {
  throw toBucketStoreFault(error);
}
