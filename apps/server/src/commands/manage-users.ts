import {
  type AuditEntry,
  issueToken,
  isValidToken,
  recordAudit,
  type SessionStore,
  SetupError,
  type TokenRecord,
} from "@dt/server";
import type { CreateTokenArgs, ServerArgs } from "../args.js";
import { openCommandStore, type StoreEnv } from "../open-server-store.js";

/** A command line that manages tokens or changes the owner of sessions. */
export type UserArgs = Extract<
  ServerArgs,
  { readonly type: "create-token" | "list-tokens" | "revoke-token" | "give-sessions" }
>;

/** Options of {@link manageUsers}. */
export interface ManageUsersOptions {
  /** The database of the server. */
  readonly env: StoreEnv;
  readonly now: Date;
}

/**
 * Manages tokens or changes the owner of sessions; resolves with the text to print. Tokens can be managed
 * while the server runs. Owners can be changed only while the server is stopped, because a running server
 * keeps the owners in memory.
 */
export async function manageUsers(args: UserArgs, options: ManageUsersOptions): Promise<string> {
  const { env, now } = options;
  const store = await openCommandStore(env, { isShared: args.type !== "give-sessions" });
  try {
    switch (args.type) {
      case "create-token":
        return await createToken(args, store, now);
      case "list-tokens":
        return listTokens(await store.listTokens(), now.toISOString());
      case "revoke-token": {
        const { user, name } = args;
        if (await store.revokeToken({ user, name }, now.toISOString())) {
          await audit(store, { kind: "token-revoked", subject: `${user}/${name}` }, now);
          return `${user}/${name} is revoked; its streams end within two seconds`;
        }
        throw new SetupError(
          `there is no valid token ${user}/${name}; dt-server token list shows the tokens`,
        );
      }
      case "give-sessions": {
        const count = await store.changeOwner(args.from, args.to);
        const given = { subject: args.from, detail: `${count} to ${args.to}` };
        if (count > 0) await audit(store, { kind: "sessions-given", ...given }, now);
        if (count > 0)
          return `${args.to} has ${count} ${count === 1 ? "session" : "sessions"} of ${args.from} now`;
        throw new SetupError(`${args.from} has no sessions`);
      }
    }
  } finally {
    await store.close();
  }
}

async function createToken(args: CreateTokenArgs, store: SessionStore, now: Date): Promise<string> {
  const token = await issueToken(store, { ...args, now });
  const { user, name, role } = args;
  await audit(store, { kind: "token-created", subject: `${user}/${name}`, detail: role }, now);
  return token;
}

/** Records a change that the operator made with a command. */
async function audit(store: SessionStore, entry: AuditEntry, now: Date): Promise<void> {
  await recordAudit(store, { user: "operator", ...entry }, now);
}

const TITLES = ["token", "role", "tier", "state", "created", "last used"];

function listTokens(tokens: readonly TokenRecord[], at: string): string {
  if (tokens.length === 0) return "there is no token; dt-server token create makes one";
  const rows = tokens.map((token) => [
    `${token.user}/${token.name}`,
    token.role,
    token.tier ?? "-",
    stateOf(token, at),
    minuteOf(token.createdAt),
    minuteOf(token.lastUsedAt),
  ]);
  const widths = TITLES.map((_, column) =>
    Math.max(...[TITLES, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  return [TITLES, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function stateOf(token: TokenRecord, at: string): string {
  if (token.revokedAt !== undefined) return `revoked ${minuteOf(token.revokedAt)}`;
  if (token.expiresAt === undefined) return "valid";
  return `${isValidToken(token, at) ? "valid until" : "expired"} ${minuteOf(token.expiresAt)}`;
}

function minuteOf(time: string | undefined): string {
  return time === undefined ? "never" : `${time.slice(0, 16).replace("T", " ")}Z`;
}
