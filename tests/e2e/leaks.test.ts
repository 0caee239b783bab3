import { execFile } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const script = path.resolve(import.meta.dirname, "support/leak-script.mjs");

test("a program exits by itself after it closed its sessions", async () => {
  const home = path.dirname(script);
  const output = await new Promise<string>((resolve, reject) => {
    // The script does not call process.exit(), so any open handle would keep it running.
    execFile(
      process.execPath,
      [script],
      { timeout: 300_000, env: { PATH: process.env.PATH ?? "", HOME: home } },
      (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr))),
    );
  });

  const { before, after, afterCancel, children } = JSON.parse(output);
  expect(afterCancel).toEqual([]);
  expect(children).toEqual([]);
  expect(after).toEqual(before);
});
