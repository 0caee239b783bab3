import type { StampedEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { type Commit, planCommits } from "./commit.js";

const event = { kind: "STATE_CHANGE", taskId: "t", turn: 1, state: "working", at: "" } as const;
const session = {
  contextId: "c",
  owner: "alice",
  settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
  createdAt: "",
};

/** Creates a commit with the given number and one event. */
function commit(number: number, overrides: Partial<Commit> = {}): Commit {
  return {
    contextId: "c",
    epoch: 2,
    number,
    expectedHead: number - 1,
    events: [{ position: number, epoch: 2, event: event as StampedEvent }],
    journal: [],
    isCritical: false,
    ...overrides,
  };
}

const head = { epoch: 2, commitNumber: 3, position: 3 };
const numbersOf = (plan: ReturnType<typeof planCommits>) =>
  plan.type === "lost" ? "lost" : plan.commits.map(({ number }) => number);

test.each([
  ["the next commit", [commit(4)], { head }, [4]],
  ["several commits in order", [commit(4), commit(5)], { head }, [4, 5]],
  ["no commit that is stored already", [commit(3)], { head }, []],
  ["only the commit that is not stored yet", [commit(3), commit(4)], { head }, [4]],
  ["a commit without events", [commit(4, { events: [] })], { head }, [4]],
  ["a commit of the current holder", [commit(4)], { head, heldEpoch: 2 }, [4]],
  ["the first commit of a session", [commit(1, { session })], { head: undefined }, [1]],
] as const)("a plan writes %s [LOG-01]", (_, commits, options, expected) => {
  expect(numbersOf(planCommits(commits, options))).toEqual(expected);
});

test.each([
  ["has an older epoch", [commit(4, { epoch: 1 })], { head }],
  ["is repeated and has an older epoch", [commit(3, { epoch: 1 })], { head }],
  ["has an epoch that no lease has", [commit(4, { epoch: 3 })], { head }],
  ["comes after another holder took over", [commit(4)], { head, heldEpoch: 3 }],
  [
    "is the first of its session and comes after another holder took over",
    [commit(1, { session })],
    { head: undefined, heldEpoch: 3 },
  ],
] as const)('planCommits() returns "lost" if the commit %s [LOG-01]', (_, commits, options) => {
  expect(numbersOf(planCommits(commits, options))).toBe("lost");
});

test.each([
  ["a wrong number", [commit(5)], { head }, "expects the commit 4, but got 5"],
  ["a gap in a group", [commit(4), commit(6)], { head }, "expects the commit 5, but got 6"],
  ["a wrong head", [commit(4, { expectedHead: 2 })], { head }, "is at the position 3, not at 2"],
  [
    "a head after the last event",
    [commit(4, { expectedHead: 9, events: [] })],
    { head },
    "is at the position 3, not at 9",
  ],
  [
    "an event at a wrong position",
    [commit(4, { events: commit(5).events })],
    { head },
    "expects the position 4",
  ],
  ["a session that does not exist", [commit(1)], { head: undefined }, "there is no session c"],
  [
    "a new session that exists already",
    [commit(4, { session })],
    { head },
    "the session c exists already",
  ],
  [
    "a session that is created twice",
    [commit(1, { session }), commit(2, { session })],
    { head: undefined },
    "the session c exists already",
  ],
  ["different epochs", [commit(4), commit(5, { epoch: 3 })], { head }, "have different epochs"],
] as const)("a plan refuses commits with %s [LOG-01]", (_, commits, options, message) => {
  expect(() => planCommits(commits, options)).toThrow(message);
});
