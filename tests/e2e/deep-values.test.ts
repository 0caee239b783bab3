import path from "node:path";
import type { Tool } from "@dt/agent-core";
import { callTool, scriptedModel, scriptedTool } from "@dt/agent-core/testing";
import type { SessionEvent } from "@dt/client";
import { MAX_VALUE_DEPTH } from "@dt/schema";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { openStage } from "./support/open-stage.js";
import { watchTask } from "./support/watch-task.js";

/** Builds an object of the given number of levels: `{ a: 1 }`, `{ a: { a: 1 } }` and so on. */
function nest(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = { a: 1 };
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

/** A tool that returns an object of `depth` levels or, without `depth`, its input `value`. */
const give: Tool = {
  ...scriptedTool({ name: "give" }),
  async run({ depth, value }) {
    const given = depth === undefined ? { value } : nest(Number(depth));
    return { result: { $case: "structuredData", value: given } };
  },
};

const callsOf = (seen: readonly SessionEvent[]) =>
  seen.flatMap((event) => (event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall] : []));

async function runCalls(inputs: readonly object[], version: "0.3" | "1.0" = "1.0") {
  await using data = await openDataDir();
  const store = openSqliteStore({ file: path.join(data.directory, "dt.db") });
  const model = scriptedModel([inputs.map((input) => callTool("give", { ...input })), []]);
  await using stage = await openStage({ model, tools: [give], server: { store } });
  const client = await stage.connect({ version });
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "go",
  });
  const watched = watchTask(task);
  await task.answer({ toolCallId: await watched.question() }, "proceed_once");
  await watched.done;
  return { seen: watched.seen, last: watched.seen.at(-1), faults: stage.faults };
}

test.each([MAX_VALUE_DEPTH + 1, 100, 5_000, 100_000])(
  "a tool call with arguments of %i levels fails, and the turn continues",
  async (levels) => {
    const { seen, last, faults } = await runCalls([nest(levels), { depth: 1 }]);

    const ended = callsOf(seen).filter(
      ({ status }) => status === "FAILED" || status === "SUCCEEDED",
    );
    expect(ended).toMatchObject([
      {
        status: "FAILED",
        inputParameters: {},
        result: {
          value: {
            type: "invalid_input",
            message: `the arguments are nested deeper than ${MAX_VALUE_DEPTH} levels`,
          },
        },
      },
      { status: "SUCCEEDED" },
    ]);
    expect(last).toMatchObject({ state: "completed" });
    expect(faults).toEqual([]);
  },
);

for (const version of ["0.3", "1.0"] as const)
  test(`arguments and results at the depth limit reach the client over A2A ${version}`, async () => {
    const input = { value: nest(MAX_VALUE_DEPTH - 1) };
    const { seen, last } = await runCalls([input], version);

    const ended = callsOf(seen).find(({ status }) => status === "SUCCEEDED");
    expect(ended?.inputParameters).toEqual(input);
    expect(ended?.result).toMatchObject({
      value: { result: { $case: "structuredData", value: input } },
    });
    expect(last).toMatchObject({ state: "completed" });
  });

test("a tool call whose result exceeds the depth limit fails, and the turn continues", async () => {
  const { seen, last, faults } = await runCalls([{ depth: 5_000 }]);

  expect(callsOf(seen).find(({ status }) => status === "FAILED")?.result).toMatchObject({
    value: {
      type: "invalid_output",
      message: `the result is nested deeper than ${MAX_VALUE_DEPTH} levels, but the tool has run`,
    },
  });
  expect(last).toMatchObject({ state: "completed" });
  expect(faults).toEqual([]);
});
