import { once } from "node:events";
import { expect, test } from "vitest";
import { holdProcessOutput } from "./hold-process-output.js";

test("output of libraries and Node's warnings are captured while the screen is open", async () => {
  const held: string[] = [];
  const { write } = process.stdout;
  {
    using _ = holdProcessOutput((text) => held.push(text));
    process.stdout.write("to stdout\n");
    process.stderr.write("to stderr\n");
    process.emitWarning("of something");
    await once(process, "warning");
  }

  expect(held.slice(0, 2)).toEqual(["to stdout\n", "to stderr\n"]);
  expect(held.slice(2).join("")).toContain("of something");
  expect(process.stdout.write).toBe(write);
});
