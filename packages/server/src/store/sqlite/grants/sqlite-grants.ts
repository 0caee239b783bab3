import type { Role } from "@dt/schema";
import { type GrantRecord, type GrantStore, MAX_LISTED_GRANTS } from "../../grant-store.js";
import { checksumOf, withChecksum } from "../checksum.js";
import type { Integrity } from "../integrity/integrity.js";
import type { Row } from "../rows.js";
import type { Statements } from "../statements.js";

const TABLE = "grants";

/** Options of {@link createSqliteGrants}. */
export interface SqliteGrantsOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "read" | "write">;
  /** Runs work as one transaction. A critical transaction also survives a loss of power. */
  transact(work: () => void, isCritical?: boolean): void;
}

/** Creates the methods of a SQLite store for grants. */
export function createSqliteGrants(options: SqliteGrantsOptions): GrantStore {
  const { checkOpen, statements, integrity, transact } = options;

  async function read<TValue>(work: () => TValue): Promise<TValue> {
    checkOpen();
    return integrity.read(work);
  }

  // Writes are critical, because a revocation must survive a loss of power.
  async function write<TValue>(work: () => TValue): Promise<TValue> {
    checkOpen();
    const results: TValue[] = [];
    integrity.write(() => transact(() => results.push(work()), true));
    return results.at(-1) as TValue;
  }

  const listRows = (contextId: string, at: string) =>
    statements.listGrants.all(contextId, at) as Row[];

  function save(grant: GrantRecord): void {
    statements.writeGrant.run(...withChecksum(TABLE, columnsOf(grant)));
  }

  return {
    createGrant: (grant, { maxPerSession }) =>
      write(() => {
        const { contextId, user, linkId, createdAt } = grant;
        const others = listRows(contextId, createdAt).flatMap(toIntactGrant);
        const replaced = others.filter(
          (each) => user !== "" && each.user === user && each.linkId === linkId,
        );
        const hasLink =
          linkId === "" || others.some(({ id, digest }) => id === linkId && digest !== "");
        if (!hasLink || others.length - replaced.length >= maxPerSession) return false;
        for (const each of replaced) save({ ...each, revokedAt: createdAt });
        save(grant);
        return true;
      }),
    findGrant: (id) =>
      read(() => [statements.findGrant.get(id) ?? []].flat().flatMap(toIntactGrant)[0]),
    findGrants: (keys, at) =>
      read(() => {
        const wanted = JSON.stringify(keys.map(({ contextId, user }) => [contextId, user]));
        return (statements.findGrants.all(wanted, at) as Row[]).flatMap(toIntactGrant);
      }),
    hadGrant: ({ contextId, user }) =>
      read(() => statements.findAnyGrant.get(contextId, user) !== undefined),
    listGrants: (contextId, at) => read(() => listRows(contextId, at).flatMap(toIntactGrant)),
    listGrantsOf: (user, at) =>
      read(() =>
        (statements.listGrantsOf.all(user, at, MAX_LISTED_GRANTS) as Row[]).flatMap(toIntactGrant),
      ),
    revokeGrant: ({ contextId, id }, at) =>
      write(() => {
        // A damaged grant is revoked too.
        const revoked = listRows(contextId, at)
          .map(toGrant)
          .filter((grant) => grant.id === id || grant.linkId === id);
        for (const grant of revoked) save({ ...grant, revokedAt: at });
        return revoked.length;
      }),
  };
}

function columnsOf(grant: GrantRecord): readonly string[] {
  const { id, contextId, user, role, digest, linkId, createdAt, expiresAt } = grant;
  return [id, contextId, user, role, digest, linkId, createdAt, expiresAt, grant.revokedAt ?? ""];
}

/** Reads a row. A damaged row is left out, so that it admits nobody. */
function toIntactGrant(row: unknown): readonly GrantRecord[] {
  const grant = toGrant(row as Row);
  return (row as Row).checksum === checksumOf(TABLE, columnsOf(grant)) ? [grant] : [];
}

function toGrant(row: Row): GrantRecord {
  return {
    id: String(row.id),
    contextId: String(row.context_id),
    user: String(row.user),
    role: String(row.role) as Role,
    digest: String(row.digest),
    linkId: String(row.link_id),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(row.revoked_at !== "" && { revokedAt: String(row.revoked_at) }),
  };
}
