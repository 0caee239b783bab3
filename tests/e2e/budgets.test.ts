import { EventEmitter, once } from "node:events";
import {
  geminiChunk,
  geminiStream,
  openGeminiStandIn,
  openTempWorkspace,
  thenWait,
} from "@dt/agent-core/testing";
import { connect, type SessionEvent } from "@dt/client";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { startServerProcess } from "./support/server-process.js";

/** A reply that used this number of tokens, most of them for its input. */
const reply = (promptTokenCount: number) =>
  geminiStream([
    geminiChunk([{ text: "done" }], {
      finishReason: "STOP",
      usageMetadata: { promptTokenCount, candidatesTokenCount: 100 },
    }),
  ]);

/** Starts dt-server with a stand-in model and budgets. */
async function openStage(
  answers: Parameters<typeof openGeminiStandIn>[0],
  budgets: Readonly<Record<string, string>>,
) {
  const model = await openGeminiStandIn(answers);
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    GEMINI_API_KEY: "key",
    GOOGLE_GEMINI_BASE_URL: model.url,
    DT_MODEL: "gemini-2.5-flash",
    ...budgets,
  };
  const servers = [await startServerProcess(environment)];
  const getServer = () => servers.at(-1) as (typeof servers)[number];
  return {
    model,
    get url() {
      return getServer().url;
    },
    /** Starts a task. In the result, `readTurn` collects the events of its turn, and resolves with the error. */
    async prompt(text = "go") {
      const client = await connect(getServer().url);
      const task = await client.startTask({ workspacePath: workspace.root, prompt: text });
      const events: SessionEvent[] = [];
      const readTurn = async () => {
        for await (const event of task.events()) {
          events.push(event);
          if (event.kind === "STATE_CHANGE" && ["completed", "failed"].includes(event.state))
            return event.error;
        }
        return undefined;
      };
      return { client, task, events, readTurn };
    },
    async crash() {
      await getServer().kill();
      servers.push(await startServerProcess(environment));
    },
    async [Symbol.asyncDispose]() {
      await getServer()[Symbol.asyncDispose]();
      for (const part of [model, workspace, data]) await part[Symbol.asyncDispose]();
    },
  };
}

test("a session warns at 80 % of its budget, and a call that could exceed it is not made [TEAM-04, SRV-19]", async () => {
  await using stage = await openStage([reply(99_800)], { DT_BUDGET_SESSION_TOKENS: "100000" });
  const { client, task, events, readTurn } = await stage.prompt();

  const first = await readTurn();
  await task.prompt("once more");
  const turn = task.events();
  let second: string | undefined;
  for await (const event of turn) {
    if (event.kind !== "STATE_CHANGE" || event.state !== "failed") continue;
    second = event.error;
    break;
  }
  const metadata = await (await fetch(`${stage.url}tasks/${task.taskId}/metadata`)).json();
  const metrics = await (await fetch(`${stage.url}metrics`)).text();
  client.close();

  expect(first).toBeUndefined();
  expect(
    events.flatMap((event) => (event.kind === "WARNING" ? event.warning.message : [])),
  ).toEqual([
    expect.stringContaining("80 % of the budget of this session of 100000 tokens are used"),
  ]);
  expect(second).toContain(
    "the budget of this session is 100000 tokens, of which 99900 are used or reserved",
  );
  expect(second).toContain("start a new session, or raise budget.sessionTokens");
  expect(stage.model.requests).toHaveLength(1);
  expect(metadata).toMatchObject({
    metadata: {
      usage: { inputTokens: 99_800, outputTokens: 100 },
      budgets: [{ scope: "session", unit: "tokens", used: 99_900, limit: 100_000 }],
    },
  });
  expect(metrics).toContain('dt_budget_refusals_total{scope="session",unit="tokens"} 1');
  expect(metrics).toContain('dt_owner_tokens_total{user="local"} 99900');
});

test("two sessions of a user together cannot exceed the user's budget of the day [TEAM-04]", async () => {
  const gate = new EventEmitter();
  const released = once(gate, "released");
  const answers = Array.from({ length: 2 }, () => thenWait(reply(1_000), released));
  await using stage = await openStage(answers, { DT_BUDGET_DAY_TOKENS: "30000" });

  const sessions = [await stage.prompt(), await stage.prompt()];
  const failed = await Promise.race(sessions.map(({ readTurn }) => readTurn()));
  gate.emit("released");
  for (const { client } of sessions) client.close();

  expect(failed).toContain("the owner's budget of");
  expect(failed).toContain("go on after midnight UTC, or raise budget.dayTokens");
  expect(stage.model.requests).toHaveLength(1);
});

test("a reservation of a server that was killed counts as used [TEAM-04]", async () => {
  const never = new Promise(() => {});
  const answers = [thenWait(reply(1_000), never), reply(1_000)];
  await using stage = await openStage(answers, { DT_BUDGET_DAY_TOKENS: "30000" });
  const killed = await stage.prompt();
  while (stage.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  killed.client.close();

  await stage.crash();
  const { client, readTurn } = await stage.prompt();
  const error = await readTurn();
  client.close();

  expect(error).toContain("of which 30000 are used or reserved");
  expect(stage.model.requests).toHaveLength(1);
});
