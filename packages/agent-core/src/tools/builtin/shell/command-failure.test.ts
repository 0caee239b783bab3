import { expect, test } from "vitest";
import { ToolError } from "../../../errors/tool-error.js";
import type { ProcessEnd } from "../../../workspace/processes/run-process.js";
import { findCommandFailure } from "./command-failure.js";

const exited: ProcessEnd = {
  reason: "exited",
  exitCode: 0,
  endedBy: undefined,
  leftBehind: [],
  survivors: [],
};

function find(end: Partial<ProcessEnd>, failure?: unknown) {
  const file = { path: "/out/1.log", failure };
  return findCommandFailure({ ...exited, ...end }, { timeoutMs: 5, maxOutputBytes: 9, file });
}

test.each([
  ["that succeeded", {}],
  ["that ended with exit code 1", { exitCode: 1 }],
  ["that a signal ended", { exitCode: undefined, endedBy: "SIGSEGV" as const }],
])("the call of a command %s does not fail", (_name, end) => {
  expect(find(end)).toBeUndefined();
});

const full = new ToolError("disk_full", "/out/1.log could not be written because the disk is full");

test.each([
  ["timed_out", { reason: "timed-out" as const }, undefined, "ran longer than 5 ms"],
  ["too_much_output", { reason: "stopped" as const }, undefined, "output so far is in /out/1.log"],
  ["cancelled", { reason: "aborted" as const }, undefined, "was cancelled"],
  ["left_processes", { leftBehind: ["vite (7)"] }, undefined, "which were ended: vite (7)"],
  ["processes_survived", { survivors: ["sudo (7)"] }, undefined, "could not be ended: sudo (7)"],
  ["disk_full", {}, full, "exit code 0, but its complete output could not be stored"],
])("findCommandFailure explains a failure of type %s [RFC-13]", (type, end, failure, words) => {
  expect(find(end, failure)).toEqual({ type, message: expect.stringContaining(words) });
});
