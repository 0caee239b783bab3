import type { Role } from "@dt/schema";
import type { TokenRecord, TokenStore } from "../../token-store.js";
import { checksumOf, withChecksum } from "../checksum.js";
import type { Integrity } from "../integrity/integrity.js";
import type { Row } from "../rows.js";
import type { Statements } from "../statements.js";

const TABLE = "tokens";

/** Options of {@link createSqliteTokens}. */
export interface SqliteTokensOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "read" | "write">;
  /** Runs work as one transaction. A critical transaction also survives a loss of power. */
  transact(work: () => void, isCritical?: boolean): void;
}

/** Creates the methods of a SQLite store for tokens. */
export function createSqliteTokens(options: SqliteTokensOptions): TokenStore {
  const { checkOpen, statements, integrity, transact } = options;

  async function read<TValue>(work: () => TValue): Promise<TValue> {
    checkOpen();
    return integrity.read(work);
  }

  // Writes are critical by default, because a revocation must survive a loss of power.
  async function write(work: () => void, isCritical = true): Promise<void> {
    checkOpen();
    integrity.write(() => transact(work, isCritical));
  }

  function writeToken(token: TokenRecord): void {
    statements.writeToken.run(...withChecksum(TABLE, columnsOf(token)));
  }

  return {
    async createToken(token) {
      let isNew = false;
      await write(() => {
        const { user, name, createdAt } = token;
        isNew = statements.findValidToken.get(user, name, createdAt) === undefined;
        if (isNew) writeToken(token);
      });
      return isNew;
    },
    findTokens: (ids) =>
      read(() => {
        // Most calls look for one token. Its statement needs no JSON list of ids.
        const [id] = ids;
        const rows =
          ids.length === 1 && id !== undefined
            ? [statements.findToken.get(id) ?? []].flat()
            : statements.findTokens.all(JSON.stringify(ids));
        return (rows as Row[]).flatMap(toIntactToken);
      }),
    listTokens: () => read(() => (statements.listTokens.all() as Row[]).flatMap(toIntactToken)),
    async revokeToken({ user, name }, at) {
      let isRevoked = false;
      await write(() => {
        const row = statements.findValidToken.get(user, name, at) as Row | undefined;
        isRevoked = row !== undefined;
        // A damaged token is revoked too.
        if (row !== undefined) writeToken({ ...toToken(row), revokedAt: at });
      });
      return isRevoked;
    },
    noteTokenUse: (id, at) =>
      write(() => {
        const [token] = [statements.findToken.get(id) ?? []].flat().flatMap(toIntactToken);
        if (token !== undefined && (token.lastUsedAt ?? "") < at)
          writeToken({ ...token, lastUsedAt: at });
      }, false),
  };
}

function columnsOf(token: TokenRecord): readonly string[] {
  const { id, user, name, role, tier = "", digest, createdAt } = token;
  const { expiresAt = "", revokedAt = "", lastUsedAt = "" } = token;
  return [id, user, name, role, tier, digest, createdAt, expiresAt, revokedAt, lastUsedAt];
}

/** Reads a row. A damaged row is left out, so that it admits nobody. */
function toIntactToken(row: unknown): readonly TokenRecord[] {
  const token = toToken(row as Row);
  return (row as Row).checksum === checksumOf(TABLE, columnsOf(token)) ? [token] : [];
}

function toToken(row: Row): TokenRecord {
  return {
    id: String(row.id),
    user: String(row.user),
    name: String(row.name),
    role: String(row.role) as Role,
    ...(row.tier !== "" && { tier: String(row.tier) }),
    digest: String(row.digest),
    createdAt: String(row.created_at),
    ...(row.expires_at !== "" && { expiresAt: String(row.expires_at) }),
    ...(row.revoked_at !== "" && { revokedAt: String(row.revoked_at) }),
    ...(row.last_used_at !== "" && { lastUsedAt: String(row.last_used_at) }),
  };
}
