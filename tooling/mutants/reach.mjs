import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const LIMIT_MS = 240_000;

/**
 * Runs every test file once without a fault, and records its duration and the mutants that it reaches. If
 * the sources have not changed since an earlier run, uses the cached results of that run.
 *
 * @returns {Promise<Map<string, { reached: Set<number>, elapsed: number, isGreen: boolean }>>}
 */
export async function measureReach({ root, tests, fingerprint, runners, copies, print }) {
  const cache = path.join(root, "node_modules", ".cache", "dt-mutants");
  fs.mkdirSync(cache, { recursive: true });
  const found = new Map();
  const waiting = [];
  for (const test of tests) {
    const key = createHash("sha256")
      .update(fingerprint)
      .update(test)
      .update(fs.readFileSync(path.join(root, test)))
      .digest("hex");
    const file = path.join(cache, key);
    if (fs.existsSync(file)) found.set(test, read(file));
    else waiting.push({ test, file });
  }
  const total = waiting.length;
  await Promise.all(
    runners.map(async (runner, index) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const trace = path.join(copies[index], "reached-mutants");
        fs.writeFileSync(trace, "");
        const outcome = await runner.run({ tests: [next.test], mutant: 0, trace }, LIMIT_MS);
        const reached = [];
        const bytes = fs.readFileSync(trace);
        for (let id = 0; id < bytes.length; id += 1) if (bytes[id] !== 0) reached.push(id);
        const { isGreen, fault, elapsed = LIMIT_MS } = outcome;
        // Only a pass is cached, because a failure may be accidental.
        if (isGreen) fs.writeFileSync(next.file, JSON.stringify({ isGreen, elapsed, reached }));
        found.set(next.test, { isGreen, elapsed, reached: new Set(reached) });
        print(
          `measured ${total - waiting.length} of ${total}: ${next.test}, ${elapsed} ms${isGreen ? "" : `, fails: ${fault}`}`,
        );
      }
    }),
  );
  return found;
}

function read(file) {
  const { reached, ...rest } = JSON.parse(fs.readFileSync(file, "utf8"));
  return { ...rest, reached: new Set(reached) };
}
