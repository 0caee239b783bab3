import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect, type SessionEvent } from "@dt/client";
import { expect, test } from "vitest";
import { startServerProcess } from "../support/server-process.js";
import { ORDERS_AGENT } from "./open-external-stage.js";

/** Starts dt-server with budgets, and the agent that follows orders behind it. */
async function openStage(budgets: Readonly<Record<string, string>>) {
  const workspace = await openTempWorkspace();
  const data = await openTempWorkspace();
  const server = await startServerProcess({
    DT_AGENT: `"${process.execPath}" "${ORDERS_AGENT}"`,
    CODER_AGENT_PORT: "0",
    DT_DATA_DIR: data.root,
    DT_WORKSPACE_ROOTS: workspace.root,
    ...budgets,
  });
  const client = await connect(server.url);
  return {
    /** Runs one turn for each list of orders, in one session. Returns the ends and the warnings. */
    async run(...prompts: readonly (readonly string[])[]) {
      const [first = [], ...others] = prompts.map((orders) => orders.join("\n"));
      const task = await client.startTask({ workspacePath: workspace.root, prompt: String(first) });
      const events: SessionEvent[] = [];
      const ends: string[] = [];
      for (const next of [undefined, ...others]) {
        if (next !== undefined) await task.prompt(next);
        for await (const event of task.events()) {
          events.push(event);
          if (event.kind !== "STATE_CHANGE") continue;
          if (["completed", "failed"].includes(event.state)) {
            ends.push(event.error ?? event.state);
            break;
          }
        }
      }
      const url = `${server.url}tasks/${task.taskId}/metadata`;
      const { metadata } = (await (await fetch(url)).json()) as { metadata: object };
      return { ends, events, metadata };
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await server[Symbol.asyncDispose]();
      for (const part of [workspace, data]) await part[Symbol.asyncDispose]();
    },
  };
}

test("an agent's turn is cancelled when the context that it reports uses up a budget [ACP-03, TEAM-04]", async () => {
  await using stage = await openStage({ DT_BUDGET_SESSION_TOKENS: "1000" });

  const { ends } = await stage.run(["usage 600", "usage 1200", "wait"], ["say more"]);

  expect(ends).toEqual([
    expect.stringMatching(
      /^the budget of this session is 1000 tokens, of which 60\d are used or reserved; start a new session/,
    ),
    expect.stringMatching(/^the budget of this session is 1000 tokens, of which 1200 are used/),
  ]);
});

test("an agent's turn is cancelled when the cost that it reports uses up a budget [ACP-03, TEAM-04]", async () => {
  await using stage = await openStage({ DT_BUDGET_SESSION_COST: "0.5" });

  const { ends, metadata } = await stage.run(
    ["usage 10 0.2", "say fine"],
    ["usage 10 0.3", "say fine"],
    ["usage 10 0.6", "wait"],
  );

  expect(ends).toEqual([
    "completed",
    "completed",
    expect.stringMatching(/^the budget of this session is 0.5 USD, of which 0.3\d* are used/),
  ]);
  // The agent reports the cost of all its turns so far, so dt must not add up the reports.
  expect(metadata).toMatchObject({ cost: { amount: "0.6", currency: "USD" } });
});

test("tokens in the agent's response use up the budget: dt warns, and refuses the next turn [ACP-03, TEAM-04]", async () => {
  await using stage = await openStage({ DT_BUDGET_SESSION_TOKENS: "1000" });

  const { ends, events, metadata } = await stage.run(["tokens 900 100"], ["say more"]);

  const shown = events.flatMap((event) => {
    if (event.kind === "WARNING") return event.warning.message;
    return event.kind === "USAGE" ? event.report.turn : [];
  });
  expect(ends).toEqual(["completed", expect.stringContaining("of which 1000 are used")]);
  expect(shown).toEqual([
    expect.objectContaining({ inputTokens: 900, outputTokens: 100 }),
    expect.stringContaining("80 % of the budget of this session of 1000 tokens are used"),
  ]);
  expect(metadata).toMatchObject({
    usage: { inputTokens: 900, outputTokens: 100 },
    budgets: [{ scope: "session", unit: "tokens", used: 1000, limit: 1000 }],
  });
});

test("a warning says that the cost of an agent cannot be limited [ACP-03, TEAM-04]", async () => {
  await using stage = await openStage({ DT_BUDGET_SESSION_COST: "0.5" });

  const { events } = await stage.run(["tokens 900 100"]);

  expect(events).toContainEqual(
    expect.objectContaining({
      warning: { message: expect.stringContaining("the price of small is not known") },
    }),
  );
});
