import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import {
  AGENT_SCENARIO_NAMES,
  AGENTS,
  CLIENTS,
  describeResults,
  runClient,
  SCENARIO_NAMES,
} from "../../tooling/interop/index.mjs";
import { readText } from "./repository.js";

/** Reads the cells of a table in docs/interop.md, without its head. */
function readRows(name: "results" | "agents"): string[][] {
  const [, results = ""] = readText("docs/interop.md").split(
    `<!-- ${name}: written by npm run interop -->`,
  );
  return results
    .split(`<!-- end of ${name} -->`)[0]!
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .slice(1);
}

test("the table of third-party clients has every client and binding, and no failed cell", () => {
  const rows = readRows("results");

  expect(rows.map(([name, , binding]) => `${name} ${binding}`)).toEqual(
    CLIENTS.flatMap(({ name, bindings }) => bindings.map((binding) => `${name} ${binding}`)),
  );
  for (const [, , , ...cells] of rows) {
    expect(cells).toHaveLength(SCENARIO_NAMES.length);
    expect(cells.filter((cell) => !/^(?:yes(?: \(\d+\))?|– \(\d+\))$/.test(cell))).toEqual([]);
  }
});

test("the table of agents has every agent, and no failed cell", () => {
  const rows = readRows("agents");

  expect(rows.map(([name]) => name)).toEqual(AGENTS.map(({ name }) => name));
  for (const [, , ...cells] of rows) {
    expect(cells).toHaveLength(AGENT_SCENARIO_NAMES.length);
    expect(cells.filter((cell) => !/^(?:yes(?: \(\d+\))?|– \(\d+\))$/.test(cell))).toEqual([]);
  }
});

test("an unfinished scenario is a failed cell, and a scenario that a client lacks has a note", async () => {
  const crashing = {
    name: "a client that does not start",
    folder: "none",
    adapter: "none",
    packages: {},
    imports: {},
    bindings: ["JSON-RPC"],
    lacks: { push: "It has no push." },
  };

  const cells = await runClient(crashing, {
    binding: "JSON-RPC",
    entry: "none",
    server: { url: "http://127.0.0.1:1/", workspace: tmpdir() },
  });
  const described = describeResults([{ name: "c", version: "1", binding: "JSON-RPC", cells }]);

  const failed = SCENARIO_NAMES.slice(0, -1).map(() => "FAILED");
  expect(described.cells).toEqual([["c", "1", "JSON-RPC", ...failed, "– (1)"]]);
  expect(described.notes).toEqual(["1. It has no push."]);
  expect(described.faults).toHaveLength(failed.length);
  expect(described.faults[0]).toContain("its process ended with 1");
});
