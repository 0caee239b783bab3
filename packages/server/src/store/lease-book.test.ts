import { expect, test } from "vitest";
import { createLeaseBook } from "./lease-book.js";

/** Creates a book. `locked` lists the sessions whose leases have not ended. */
function openBook() {
  const locked: string[] = [];
  const book = createLeaseBook();
  const open = (contextId: string, epoch: number) => {
    locked.push(contextId);
    return book.open(contextId, epoch, () => void locked.splice(locked.indexOf(contextId), 1));
  };
  return { book, locked, open };
}

test("a session with a lease is refused until the lease is released", async () => {
  const { book, locked, open } = openBook();

  const lease = open("a", 1);
  open("b", 1);
  expect(() => book.check("a")).toThrow("the session a is open already");
  expect(locked).toEqual(["a", "b"]);
  await lease.release();
  expect(locked).toEqual(["b"]);
  book.check("a");
  open("a", 2);
  await lease.release();

  expect(locked).toEqual(["b", "a"]);
  expect([book.epochOf("a"), book.epochOf("c")]).toEqual([2, undefined]);
  expect(lease.lost.aborted).toBe(false);
});

test("a lease that is taken over is lost, and its release does nothing", async () => {
  const { book, open } = openBook();
  const first = open("a", 1);

  book.check("a", { takesOver: true });
  const second = book.open("a", 2);
  await first.release();

  expect([first.lost.aborted, second.lost.aborted]).toEqual([true, false]);
  expect(first.lost.reason).toMatchObject({ code: "agent-busy" });
  expect(book.epochOf("a")).toBe(2);
});

test("losing an epoch ends only the lease with this epoch", () => {
  const { book, locked, open } = openBook();
  const lease = open("a", 2);

  book.lose("a", 1);
  book.lose("b", 1);
  expect([lease.lost.aborted, locked]).toEqual([false, ["a"]]);
  book.lose("a", 2);

  expect([lease.lost.aborted, locked]).toEqual([true, []]);
  expect(lease.lost.reason).toMatchObject({ code: "agent-busy" });
});

test("all leases can be lost together", () => {
  const { book, locked, open } = openBook();
  const leases = [open("a", 1), open("b", 7)];

  book.loseAll();

  expect(leases.map(({ lost }) => lost.aborted)).toEqual([true, true]);
  expect(locked).toEqual([]);
  expect(book.epochOf("b")).toBeUndefined();
});
