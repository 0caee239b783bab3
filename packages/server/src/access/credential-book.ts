import { randomUUID } from "node:crypto";
import { type Caller, CLIENT_ID_HEADER, ProtocolError } from "@dt/schema";
import type { Clock } from "../clock.js";

/** The credentials of the clients of a server. */
export interface CredentialBook {
  /**
   * Gets the credential of a caller's client id. The credential counts as in use until `gone` aborts. It ends
   * at the latest when the caller's token ends. Throws `invalid-request` if the id does not look random, and
   * `agent-busy` if too many clients are connected.
   */
  ofClient(
    caller: Pick<Caller, "user" | "credential">,
    clientId: string,
    gone: AbortSignal,
  ): string;
  /** Adds the credential of a token. It lasts until `ended` aborts. */
  adopt(credential: string, ended: AbortSignal): void;
  /** Finds the signal that aborts when the credential of a token ends; undefined for other credentials. */
  findEnd(credential: string | undefined): AbortSignal | undefined;
  /** Creates a credential for one socket. Call `end` when the socket closes. */
  openSocket(): string;
  end(credential: string): void;
  isAlive(credential: string): boolean;
  /** Ends credentials that have been idle for too long. */
  sweep(): void;
  /** Calls `callback` after credentials have ended. Returns a function that unsubscribes. */
  subscribeToEnds(callback: () => void): () => void;
}

/** Time after which the credential of a client id ends if no request and no open stream uses it. */
export const CLIENT_IDLE_MS = 30 * 60_000;

/**
 * Maximum number of credentials of client ids. When it is reached, a new client id ends the least recently used
 * credential that has no open request or stream.
 */
const MAX_CLIENTS = 10_000;

/** Pattern of a random id. In base64url, 128 random bits are 22 characters. */
const RANDOM_ID = /^[\w-]{22,128}$/;

interface Client {
  readonly key: string;
  /** The credential of the token that the client uses, if it uses one. */
  readonly parent: string | undefined;
  usedAt: number;
  /** Number of requests and streams that are under way. */
  open: number;
}

/**
 * Creates an empty book. Credentials are random and never reused. A client id gets a new credential after a restart,
 * and after its previous credential ended.
 */
export function createCredentialBook({ elapsedMs: now }: Pick<Clock, "elapsedMs">): CredentialBook {
  const sockets = new Set<string>();
  const clients = new Map<string, Client>();
  const credentials = new Map<string, string>();
  const tokens = new Map<string, AbortSignal>();
  const subscribers = new Set<() => void>();

  const isIdle = ({ open, usedAt }: Client) => open === 0 && now() - usedAt >= CLIENT_IDLE_MS;

  function remove(credential: string): boolean {
    const client = clients.get(credential);
    if (client !== undefined) credentials.delete(client.key);
    return clients.delete(credential) || sockets.delete(credential) || tokens.delete(credential);
  }

  function end(ended: readonly string[]): void {
    if (ended.map(remove).includes(true)) for (const notify of subscribers) notify();
  }

  function sweep(): void {
    end([...clients].flatMap(([credential, client]) => (isIdle(client) ? [credential] : [])));
  }

  function endToken(token: string): void {
    end([
      token,
      ...[...clients].flatMap(([credential, { parent }]) => (parent === token ? [credential] : [])),
    ]);
  }

  function getOrCreate(key: string, parent: string | undefined): string {
    const known = credentials.get(key);
    const client = known === undefined ? undefined : clients.get(known);
    if (known !== undefined && client !== undefined && !isIdle(client)) return known;
    if (known !== undefined) end([known]);
    if (clients.size >= MAX_CLIENTS) end(findLeastRecentlyUsed());
    const credential = `client:${randomUUID()}`;
    credentials.set(key, credential);
    clients.set(credential, { key, parent, usedAt: now(), open: 0 });
    return credential;
  }

  function findLeastRecentlyUsed(): readonly string[] {
    const unused = [...clients].filter(([, { open }]) => open === 0);
    const [first] = unused.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (first === undefined) {
      throw new ProtocolError(
        "agent-busy",
        `${MAX_CLIENTS} clients are connected already; try again later`,
      );
    }
    return [first[0]];
  }

  return {
    ofClient({ user, credential: parent }, clientId, gone) {
      if (!RANDOM_ID.test(clientId)) {
        throw new ProtocolError(
          "invalid-request",
          `${CLIENT_ID_HEADER}: expected 22 to 128 random letters, digits, - or _`,
        );
      }
      const credential = getOrCreate(JSON.stringify([user, clientId, parent]), parent);
      const client = clients.get(credential);
      if (client === undefined || gone.aborted) return credential;
      client.open += 1;
      gone.addEventListener("abort", () => {
        client.open -= 1;
        client.usedAt = now();
      });
      return credential;
    },
    adopt(credential, ended) {
      if (ended.aborted) return;
      tokens.set(credential, ended);
      ended.addEventListener("abort", () => endToken(credential), { once: true });
    },
    findEnd: (credential) => (credential === undefined ? undefined : tokens.get(credential)),
    openSocket() {
      const credential = `socket:${randomUUID()}`;
      sockets.add(credential);
      return credential;
    },
    end(credential) {
      // The credential of a token is not ended here, but only when the token is revoked or expires. Otherwise a later
      // stream of the token would not end with the token.
      if (!tokens.has(credential)) end([credential]);
    },
    isAlive(credential) {
      const client = clients.get(credential);
      if (client !== undefined) return !isIdle(client);
      return sockets.has(credential) || tokens.has(credential);
    },
    sweep,
    subscribeToEnds(callback) {
      subscribers.add(callback);
      return () => void subscribers.delete(callback);
    },
  };
}
