import { expect, test } from "vitest";
import { CLIENT_IDLE_MS, createCredentialBook } from "./credential-book.js";

const id = "0123456789abcdef0123456789abcdef";

function openBook() {
  let time = 0;
  const book = createCredentialBook({ elapsedMs: () => time });
  return {
    ...book,
    wait: (ms: number) => {
      time += ms;
    },
    /** Sends a request that is answered at once. */
    request(user: string, clientId = id): string {
      const gone = new AbortController();
      const credential = book.ofClient({ user }, clientId, gone.signal);
      gone.abort();
      return credential;
    },
  };
}

test("requests of one user with one client id share a credential", () => {
  const book = openBook();

  const first = book.request("alice");

  expect(book.request("alice")).toBe(first);
  expect(book.request("bob")).not.toBe(first);
  expect(book.request("alice", `${id}0`)).not.toBe(first);
  expect(first).not.toContain(id);
});

test("a client id gets a new credential after its credential was idle too long [SEC-10]", () => {
  const book = openBook();
  const first = book.request("alice");

  book.wait(CLIENT_IDLE_MS - 1);
  const isAliveBefore = book.isAlive(first);
  book.wait(1);

  expect([isAliveBefore, book.isAlive(first)]).toEqual([true, false]);
  expect(book.request("alice")).not.toBe(first);
  expect(book.isAlive(first)).toBe(false);
});

test("the credential of a client id becomes idle only after its last stream has ended", () => {
  const book = openBook();
  const stream = new AbortController();
  const credential = book.ofClient({ user: "alice" }, id, stream.signal);

  book.wait(2 * CLIENT_IDLE_MS);
  const isAliveMeanwhile = book.isAlive(credential);
  stream.abort();
  book.wait(CLIENT_IDLE_MS - 1);

  expect([isAliveMeanwhile, book.isAlive(credential)]).toEqual([true, true]);
  book.wait(1);
  expect(book.isAlive(credential)).toBe(false);
});

test("every socket has its own credential until the credential is ended [SEC-10]", () => {
  const book = openBook();
  const [one, other] = [book.openSocket(), book.openSocket()];

  book.end(one);

  expect([one, other].map(book.isAlive)).toEqual([false, true]);
});

test("subscribers are notified when a credential is ended, directly or by a sweep", () => {
  const book = openBook();
  const socket = book.openSocket();
  const client = book.request("alice");
  let ends = 0;
  const stop = book.subscribeToEnds(() => {
    ends += 1;
  });

  book.end(socket);
  book.end(socket);
  book.wait(CLIENT_IDLE_MS);
  book.sweep();
  stop();
  book.end(book.openSocket());

  expect(ends).toBe(2);
  expect(book.isAlive(client)).toBe(false);
});

test("subscribers are notified when an idle client id gets a new credential", () => {
  const book = openBook();
  book.request("alice");
  let ends = 0;
  book.subscribeToEnds(() => {
    ends += 1;
  });

  book.request("alice");
  book.wait(CLIENT_IDLE_MS);
  book.request("alice");

  expect(ends).toBe(1);
});

test("the least recently used credential ends when there are more than ten thousand", () => {
  const book = openBook();
  const first = book.request("alice");
  book.wait(1);
  const second = book.request("bob");
  book.wait(1);
  book.request("alice");

  for (let count = 0; count < 9_999; count += 1) book.request(`user ${count}`);

  expect([first, second].map(book.isAlive)).toEqual([true, false]);
});

test("a new client id is refused while ten thousand others have an open stream", () => {
  const book = openBook();
  const open = Array.from({ length: 10_000 }, () => new AbortController());
  const idle = book.request("idle");
  for (const [count, { signal }] of open.slice(1).entries())
    book.ofClient({ user: `user ${count}` }, id, signal);

  const alive = book.isAlive(idle);
  book.ofClient({ user: "next" }, id, open[0]!.signal);

  expect([alive, book.isAlive(idle)]).toEqual([true, false]);
  expect(() => book.request("alice")).toThrow("10000 clients are connected already");
  open[0]?.abort();
  expect(book.isAlive(book.request("alice"))).toBe(true);
});

test("an aborted request does not keep its credential alive", () => {
  const book = openBook();
  const credential = book.ofClient({ user: "alice" }, id, AbortSignal.abort());

  book.wait(CLIENT_IDLE_MS);

  expect(book.isAlive(credential)).toBe(false);
});

test("a client id whose credential was ended gets a new credential", () => {
  const book = openBook();
  const first = book.request("alice");
  book.end(first);
  const second = book.request("alice");

  book.wait(CLIENT_IDLE_MS);
  const third = book.request("alice");
  book.sweep();

  expect(new Set([first, second, third]).size).toBe(3);
  expect([first, second, third].map(book.isAlive)).toEqual([false, false, true]);
  expect(first).toMatch(/^client:/);
  expect(book.openSocket()).toMatch(/^socket:/);
});

test.for(["", "short", "phone", `${id} `, `${id}, ${id}`, "x".repeat(129)])(
  "the client id %j is refused, because it may be easy to guess",
  (clientId) => {
    const book = openBook();

    expect(() => book.request("alice", clientId)).toThrow(
      "X-DT-Client-Id: expected 22 to 128 random letters",
    );
  },
);

test("when a token ends, its credential and the credentials of its clients end [SEC-10]", () => {
  const book = openBook();
  const ended = new AbortController();
  book.adopt("token:1", ended.signal);
  const ada = { user: "ada", credential: "token:1" };
  const client = book.ofClient(ada, id, new AbortController().signal);
  const other = book.ofClient({ user: "ada" }, id, new AbortController().signal);

  const before = ["token:1", client, other].map(book.isAlive);
  ended.abort();

  expect(before).toEqual([true, true, true]);
  expect(["token:1", client, other].map(book.isAlive)).toEqual([false, false, true]);
  expect(book.findEnd("token:1")).toBeUndefined();
});
