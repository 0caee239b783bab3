import { randomUUID } from "node:crypto";
import { ProtocolError, type SessionRequest } from "@dt/schema";
import type { ClaimedRequest, Inbox, InboxRequest } from "../../instances/instance-store.js";
import { receiptIdOf } from "../../instances/instance-store.js";
import type { Database, PostgresRow } from "../database/open-connections.js";
import { heldByOther } from "../postgres-reader.js";
import { INBOX_KEY, replyKey } from "./wake-keys.js";
import type { WakeUps } from "./wake-ups.js";

/** Options of {@link createPostgresInbox}. */
export interface PostgresInboxOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
  readonly instance: { readonly id: string };
  /** Pool of this instance. */
  readonly pool: string;
  readonly wakeUps: WakeUps;
}

/** Longest waits for a wake-up: the slow one while wake-ups can arrive, the fast one while they cannot. */
const SLOW_WAIT_MS = 500;
const FAST_WAIT_MS = 100;
/** Maximum number of requests in one claim. */
const MAX_CLAIMED = 64;
/** Age after which a request is deleted, because its sender must be gone. */
const KEEP = "10 minutes";

/** Creates the inbox of a Postgres store. */
export function createPostgresInbox(options: PostgresInboxOptions): Inbox {
  const { database, schema, instance, pool, wakeUps } = options;
  const inbox = `${schema}.inbox`;
  const isClaimed = `i.claimed_by IS NOT NULL AND EXISTS (
      SELECT 1 FROM ${schema}.instances AS c
      WHERE c.id = i.claimed_by AND c.lease_until > clock_timestamp())`;
  // A connection may break after a claim was stored, and before its rows arrived. The next claim then returns these
  // rows, because they are not among the requests that were handed out.
  const handedOut = new Set<string>();

  return {
    async add(given) {
      const { contextId, caller, request } = given;
      const messageId = receiptIdOf(request) ?? null;
      const id = randomUUID();
      const [row] = await database.query({
        // The update changes nothing. It returns the row of the earlier request. If the statement runs again after a
        // broken connection, a request without a message id is found by its own id.
        text: `INSERT INTO ${inbox} (id, context_id, user_name, message_id, request)
          VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (${messageId === null ? "id" : "user_name, message_id"})
          DO UPDATE SET message_id = excluded.message_id
          RETURNING id, request`,
        values: [id, contextId, caller.user, messageId, JSON.stringify(given)],
      });
      if (row?.id !== id) checkSame(given, JSON.parse(String(row?.request)));
      wakeUps.note(INBOX_KEY);
      return String(row?.id);
    },
    async claim() {
      const rows = await database.query({
        name: `claim inbox ${schema}`,
        text: `WITH old AS (
            DELETE FROM ${inbox} WHERE created_at < clock_timestamp() - interval '${KEEP}'
          ), due AS (
            SELECT i.id FROM ${inbox} AS i JOIN ${schema}.sessions AS s USING (context_id)
            WHERE i.reply IS NULL AND (
                (i.claimed_by = $1::uuid AND NOT i.id = ANY($3::uuid[])) OR
                (NOT (${isClaimed}) AND (i.claimed_by IS NULL OR i.message_id IS NOT NULL)))
              AND (s.pool IS NULL OR s.pool = $2) AND NOT ${heldByOther(schema)}
            ORDER BY i.number LIMIT ${MAX_CLAIMED} FOR UPDATE OF i SKIP LOCKED
          )
          UPDATE ${inbox} AS i SET claimed_by = $1::uuid FROM due WHERE i.id = due.id
          RETURNING i.id, i.number, i.request`,
        values: [instance.id, pool, [...handedOut]],
      });
      for (const { id } of rows) handedOut.add(String(id));
      return [...rows]
        .sort((one, other) => Number(one.number) - Number(other.number))
        .map(decodeClaimed);
    },
    async answer(id, reply) {
      await database.query({
        text: `UPDATE ${inbox} SET reply = $2 WHERE id = $1 AND reply IS NULL`,
        values: [id, JSON.stringify(reply)],
      });
      handedOut.delete(id);
      wakeUps.note(replyKey(id));
    },
    async unclaim(id) {
      await database.query({
        text: `UPDATE ${inbox} SET claimed_by = NULL
          WHERE id = $1 AND claimed_by = $2 AND reply IS NULL`,
        values: [id, instance.id],
      });
      handedOut.delete(id);
      wakeUps.note(INBOX_KEY);
    },
    async readState(id) {
      const [row] = await database.query({
        name: `read inbox ${schema}`,
        text: `SELECT reply, ${isClaimed} AS is_claimed FROM ${inbox} AS i WHERE id = $1`,
        values: [id],
      });
      if (row === undefined) return { type: "gone" };
      if (row.reply !== null) return { type: "answered", reply: JSON.parse(String(row.reply)) };
      return { type: row.is_claimed === true ? "claimed" : "waiting" };
    },
    waitForChange: (id) => waitForReply(id, wakeUps),
    async withdraw(id) {
      const rows = await database.query({
        text: `DELETE FROM ${inbox} AS i WHERE id = $1 AND reply IS NULL AND NOT (${isClaimed})
          RETURNING id`,
        values: [id],
      });
      return rows.length > 0;
    },
    async remove(id) {
      await database.query({ text: `DELETE FROM ${inbox} WHERE id = $1`, values: [id] });
    },
    subscribe(callback) {
      const unsubscribe = wakeUps.subscribe((keys, isAll) => {
        if (isAll || keys.has(INBOX_KEY)) callback();
      });
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
        if (!wakeUps.isListening || ticks % (SLOW_WAIT_MS / FAST_WAIT_MS) === 0) callback();
      }, FAST_WAIT_MS).unref();
      return () => {
        clearInterval(timer);
        unsubscribe();
      };
    },
  };
}

/** Waits until the request may have a reply: for a wake-up about it, or for the longest wait. */
function waitForReply(id: string, wakeUps: WakeUps): Promise<void> {
  return new Promise((resolve) => {
    const key = replyKey(id);
    const end = () => {
      unsubscribe();
      clearTimeout(timer);
      resolve();
    };
    const unsubscribe = wakeUps.subscribe((keys, isAll) => {
      if (isAll || keys.has(key)) end();
    });
    const timer = setTimeout(end, wakeUps.isListening ? SLOW_WAIT_MS : FAST_WAIT_MS);
  });
}

/** Throws if a waiting message has the same id, but other content. */
function checkSame({ request }: InboxRequest, earlier: InboxRequest): void {
  if (digestOf(request) === digestOf(earlier.request)) return;
  throw new ProtocolError(
    "agent-busy",
    "another message with this id is being delivered; send the message again later",
  );
}

function digestOf(request: SessionRequest): string | undefined {
  return "digest" in request ? request.digest : undefined;
}

function decodeClaimed(row: PostgresRow): ClaimedRequest {
  const request = JSON.parse(String(row.request)) as InboxRequest;
  return { ...request, id: String(row.id) };
}
