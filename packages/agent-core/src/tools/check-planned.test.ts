import { expect, test } from "vitest";
import { checkPlanned } from "./check-planned.js";

const file = { absolute: "/work/a.txt", display: "a.txt", isInside: true };
const planned = [{ type: "read", path: "/work/a.txt", isInside: true }] as const;

test("checkPlanned permits the planned file", () => {
  expect(() => checkPlanned("read", file, { planned })).not.toThrow();
});

test.each([
  ["another file", "read", { ...file, absolute: "/etc/passwd" }],
  ["an edit of a file that may only be read", "edit", file],
] as const)("checkPlanned refuses %s", (_name, type, given) => {
  expect(() => checkPlanned(type, given, { planned })).toThrow("a path that nobody permitted");
});

test("checkPlanned refuses everything if the planned actions are lost", () => {
  expect(() => checkPlanned("read", file, { planned: undefined })).toThrow(
    expect.objectContaining({
      type: "approval_lost",
      message:
        "the approval was given in another process and its details are lost, so nothing was done; ask again",
    }),
  );
});
