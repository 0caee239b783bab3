import type { ExternalCall, ToolCallStatus } from "@dt/schema";
import { expect, test } from "vitest";
import { toOpenCall } from "../../record/calls/open-call.js";
import { changeOf, movesOf } from "./call-moves.js";
import { mergeCall, toOutput, toPendingCall } from "./merge-call.js";

const call: ExternalCall = { id: "1", title: "Run make", kind: "execute", text: "built" };
const open = (status: ToolCallStatus) => toOpenCall({ ...toPendingCall("ours", call), status });

test.each<[ExternalCall["status"], ToolCallStatus, readonly string[]]>([
  [undefined, "PENDING", []],
  ["pending", "PENDING", []],
  ["in_progress", "PENDING", ["start"]],
  ["in_progress", "EXECUTING", []],
  ["completed", "PENDING", ["start", "succeed"]],
  ["completed", "EXECUTING", ["succeed"]],
  ["failed", "PENDING", ["fail"]],
  ["failed", "EXECUTING", ["fail"]],
])(
  "if the agent reports a call as %s and the log shows it as %s, the call takes the steps %s",
  (status, ours, steps) => {
    const moves = movesOf({ ...call, ...(status && { status }) }, open(ours), "/w");

    expect(moves.map(({ type }) => type)).toEqual(steps);
  },
);

test("the result of a completed call is a diff if the call has exactly one, else a text", () => {
  const done = { ...call, status: "completed" } as const;
  const diffs = [{ path: "a.txt", newText: "new\n" }];

  expect(movesOf(done, open("EXECUTING"), "/w")).toEqual([
    { type: "succeed", output: { result: { $case: "text", value: "built" } } },
  ]);
  expect(movesOf({ ...done, diffs }, open("EXECUTING"), "/w")).toMatchObject([
    { output: { result: { $case: "diff", value: { filePath: "/w/a.txt", newContent: "new\n" } } } },
  ]);
});

test("of thousands of diffs, only those that fit into the result are computed [SEC-09]", () => {
  const diffs = Array.from({ length: 20_000 }, (_, at) => ({
    path: `${at}.txt`,
    newText: "new\n",
  }));

  const { result } = toOutput({ id: "1", diffs, text: "done" }, "/w");

  const { value } = result as { readonly value: string };
  expect(value).toMatch(/^--- \/dev\/null\n\+\+\+ 0\.txt\n/);
  expect(value).toMatch(/\n\[\d+ characters left out\]\n\[1\d{4} diffs left out\]$/);
  expect(value.length).toBeLessThan(65_000);
});

test("a call is shown again only if its title or its input has changed", () => {
  const pending = open("PENDING");

  expect(changeOf({ id: "1", title: "Run make", text: "more" }, pending)).toBeUndefined();
  expect(changeOf({ id: "1", title: "Run make all" }, pending)).toEqual({
    type: "show",
    description: "Run make all",
  });
  expect(changeOf({ id: "1", input: { command: "make" } }, pending)).toEqual({
    type: "show",
    inputParameters: { command: "make" },
  });
});

test("an update changes only the fields that it has", () => {
  expect(mergeCall(call, { id: "1", status: "failed", text: "no rule" })).toEqual({
    ...call,
    status: "failed",
    text: "no rule",
  });
});
