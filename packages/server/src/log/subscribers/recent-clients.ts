import type { Caller } from "@dt/schema";

/** The user and name of a client. Named clients with the same user and name count as one client. */
export type Client = Pick<Caller, "user" | "name">;

/** The clients that sent a request about a session lately. */
export interface RecentClients {
  /** Records a request of a client. */
  note(client: Client): void;
  /**
   * Counts the clients that subscribe or sent a request lately. Each subscriber without a name counts as one client.
   */
  count(subscribers: readonly (Client | undefined)[]): number;
  /** Lists the clients that subscribe or sent a request lately. Each user and name is listed once. */
  list(subscribers: readonly (Client | undefined)[]): readonly Client[];
}

/** Time that a client is counted after its last request. Terminals send a request every two seconds. */
const COUNTED_MS = 6_000;

/** Maximum number of clients in the list. Beyond this number, the least recent clients are removed. */
const MAX_CLIENTS = 1_000;

/** Creates an empty list of clients. */
export function createRecentClients(elapsedMs: () => number): RecentClients {
  const notedAt = new Map<string, number>();

  function removeOld(): void {
    for (const [key, at] of notedAt) {
      if (elapsedMs() - at < COUNTED_MS && notedAt.size <= MAX_CLIENTS) return;
      notedAt.delete(key);
    }
  }

  return {
    note(client) {
      const key = keyOf(client);
      if (key === undefined) return;
      // The key is deleted first, so that the map is ordered by the last request of each client.
      notedAt.delete(key);
      notedAt.set(key, elapsedMs());
      removeOld();
    },
    count(subscribers) {
      removeOld();
      const keys = subscribers.map((client) => client && keyOf(client));
      const named = new Set([...notedAt.keys(), ...keys.filter((key) => key !== undefined)]);
      return named.size + keys.filter((key) => key === undefined).length;
    },
    list(subscribers) {
      removeOld();
      const all = [...notedAt.keys()]
        .map(parseKey)
        .concat(subscribers.flatMap((each) => each ?? []));
      const known = new Map(
        all.map(({ user, name }) => [JSON.stringify([user, name]), { user, name }]),
      );
      return [...known.values()];
    },
  };
}

function parseKey(key: string): Client {
  const [user, name] = JSON.parse(key) as [string, string];
  return { user, name };
}

/** Returns undefined for a client without a name of its own, because such clients cannot be distinguished. */
function keyOf({ user, name }: Client): string | undefined {
  return name === "" || name === user ? undefined : JSON.stringify([user, name]);
}
