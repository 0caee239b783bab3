import { isValidToken } from "../../access/auth/token-validity.js";
import type { TokenRecord, TokenStore } from "../token-store.js";

/** Creates the list of tokens of a store that keeps them in memory. `checkOpen` throws if the store is closed. */
export function createMemoryTokens(
  checkOpen: () => void,
  tokens = new Map<string, TokenRecord>(),
): TokenStore {
  const findValid = ({ user, name }: Pick<TokenRecord, "user" | "name">, at: string) =>
    [...tokens.values()].find(
      (token) => token.user === user && token.name === name && isValidToken(token, at),
    );
  return {
    async createToken(token) {
      checkOpen();
      if (findValid(token, token.createdAt) !== undefined) return false;
      tokens.set(token.id, token);
      return true;
    },
    async findTokens(ids) {
      checkOpen();
      return ids.flatMap((id) => tokens.get(id) ?? []);
    },
    async listTokens() {
      checkOpen();
      const keyOf = ({ user, name, createdAt }: TokenRecord) => [user, name, createdAt].join("\0");
      return [...tokens.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    },
    async revokeToken(name, at) {
      checkOpen();
      const token = findValid(name, at);
      if (token !== undefined) tokens.set(token.id, { ...token, revokedAt: at });
      return token !== undefined;
    },
    async noteTokenUse(id, at) {
      checkOpen();
      const token = tokens.get(id);
      if (token !== undefined && (token.lastUsedAt ?? "") < at)
        tokens.set(id, { ...token, lastUsedAt: at });
    },
  };
}
