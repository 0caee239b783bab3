import { randomUUID } from "node:crypto";
import { CLIENT_ID_HEADER, ProtocolError } from "@dt/schema";
import type { Clock } from "../clock.js";

/** What clients of a server are told apart by, for as long as they last. */
export interface CredentialBook {
  /**
   * The credential of a client id, which a principal sent with a request; it lasts at least until `gone`
   * aborts. Throws `invalid-request` where the id is no random one.
   */
  ofClient(principal: string, clientId: string, gone: AbortSignal): string;
  /** A credential for one socket, which ends it when it closes. */
  openSocket(): string;
  end(credential: string): void;
  isAlive(credential: string): boolean;
  /** Ends what has been idle for too long. */
  sweep(): void;
  /** Calls back when credentials have ended; returns how to stop. */
  observeEnds(callback: () => void): () => void;
}

/** How long a client id lasts without a request or an open stream. */
export const CLIENT_IDLE_MS = 30 * 60_000;

/** How many client ids are kept; beyond that the one that was used longest ago ends. */
const MAX_CLIENTS = 10_000;

/** 128 bits are 22 characters of base64url; longer spellings are fine. */
const RANDOM_ID = /^[\w-]{22,128}$/;

interface Client {
  readonly key: string;
  usedAt: number;
  /** Requests and streams that are under way. */
  open: number;
}

/**
 * Keeps credentials by a clock in milliseconds. Each is random and never comes back: a client id that was
 * used again after its end, or after a restart, is another credential.
 */
export function createCredentialBook({ elapsedMs: now }: Pick<Clock, "elapsedMs">): CredentialBook {
  const sockets = new Set<string>();
  const clients = new Map<string, Client>();
  const credentials = new Map<string, string>();
  const observers = new Set<() => void>();

  const isIdle = ({ open, usedAt }: Client) => open === 0 && now() - usedAt >= CLIENT_IDLE_MS;

  function remove(credential: string): boolean {
    const client = clients.get(credential);
    if (client !== undefined && credentials.get(client.key) === credential) {
      credentials.delete(client.key);
    }
    return clients.delete(credential) || sockets.delete(credential);
  }

  function end(ended: readonly string[]): void {
    if (ended.map(remove).includes(true)) for (const observer of observers) observer();
  }

  function sweep(): void {
    end([...clients].flatMap(([credential, client]) => (isIdle(client) ? [credential] : [])));
  }

  function find(key: string): string {
    const known = credentials.get(key);
    const client = known === undefined ? undefined : clients.get(known);
    if (known !== undefined && client !== undefined && !isIdle(client)) return known;
    if (known !== undefined) end([known]);
    if (clients.size >= MAX_CLIENTS) end(oldest());
    const credential = `client:${randomUUID()}`;
    credentials.set(key, credential);
    clients.set(credential, { key, usedAt: now(), open: 0 });
    return credential;
  }

  function oldest(): readonly string[] {
    const resting = [...clients].filter(([, { open }]) => open === 0);
    const [first] = resting.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (first === undefined) {
      throw new ProtocolError("agent-busy", `${MAX_CLIENTS} clients are connected already`);
    }
    return [first[0]];
  }

  return {
    ofClient(principal, clientId, gone) {
      if (!RANDOM_ID.test(clientId)) {
        throw new ProtocolError(
          "invalid-request",
          `${CLIENT_ID_HEADER}: expected 22 to 128 random letters, digits, - or _`,
        );
      }
      const credential = find(JSON.stringify([principal, clientId]));
      const client = clients.get(credential);
      if (client === undefined || gone.aborted) return credential;
      client.open += 1;
      client.usedAt = now();
      gone.addEventListener("abort", () => {
        client.open -= 1;
        client.usedAt = now();
      });
      return credential;
    },
    openSocket() {
      const credential = `socket:${randomUUID()}`;
      sockets.add(credential);
      return credential;
    },
    end: (credential) => end([credential]),
    isAlive(credential) {
      const client = clients.get(credential);
      return client === undefined ? sockets.has(credential) : !isIdle(client);
    },
    sweep,
    observeEnds(callback) {
      observers.add(callback);
      return () => void observers.delete(callback);
    },
  };
}
