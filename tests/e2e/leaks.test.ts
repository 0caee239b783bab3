import { execFile } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const script = path.resolve(import.meta.dirname, "support/leak-script.mjs");

test("sessions that wrote, ran, were cancelled and closed leave no handle and no process, and let the program end", async () => {
  const home = path.dirname(script);
  const output = await new Promise<string>((resolve, reject) => {
    // Ends by itself or not at all: whatever is left open would keep it alive.
    execFile(
      process.execPath,
      [script],
      { timeout: 200_000, env: { PATH: process.env.PATH ?? "", HOME: home } },
      (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr))),
    );
  });

  const { before, after, afterCancel, children } = JSON.parse(output);
  expect(afterCancel).toEqual([]);
  expect(children).toEqual([]);
  expect(after).toEqual(before);
}, 240_000);
