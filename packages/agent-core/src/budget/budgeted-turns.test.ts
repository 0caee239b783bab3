import type { BudgetAmount, BudgetDecision, BudgetPort, BudgetRequest, Caller } from "@dt/schema";
import { expect, test } from "vitest";
import type { ModelRequest } from "../model/model.js";
import type { ModelPart } from "../model/model-part.js";
import type { BudgetSettings } from "../settings/budget/budget-settings.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { openHeldLedger } from "../testing/held-ledger.js";
import { type ScriptedAnswer, say, scriptedModel } from "../testing/scripted-model.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { createSessionBudget } from "./session-budget.js";

const ada: Caller = { user: "ada", name: "Ada", role: "approve", tier: "gold" };
const bob: Caller = { user: "bob", name: "Bob", role: "approve", tier: "gold" };
const usage = (inputTokens: number, outputTokens: number): ModelPart => ({
  type: "usage",
  usage: { inputTokens, outputTokens, thoughtTokens: 0, cachedTokens: 0 },
});

/** A port that grants every call, unless `decide` returns another decision. */
function openPort(decide?: (request: BudgetRequest) => BudgetDecision | undefined) {
  const requests: BudgetRequest[] = [];
  const settled: BudgetAmount[] = [];
  const port: BudgetPort = {
    owner: "ada",
    async reserve(request) {
      requests.push(request);
      const granted = { type: "granted", reservationId: "r", output: request.mostOutput } as const;
      return decide?.(request) ?? granted;
    },
    async settle(_id, amount) {
      settled.push(amount);
    },
    async readUse({ sessionTokens: limit = 0 }) {
      const used = settled.reduce((sum, { tokens }) => sum + tokens, 0);
      return [{ scope: "session", unit: "tokens", used, limit }];
    },
  };
  return { port, requests, settled };
}

interface TurnOptions {
  readonly answers?: readonly ScriptedAnswer[];
  readonly settings?: BudgetSettings;
  readonly port?: ReturnType<typeof openPort>;
  readonly caller?: Caller;
}

/** Runs one turn. Returns its events, and the requests to the port and to the model. */
async function runTurn(options: TurnOptions) {
  const { answers = [[say("done"), usage(100, 20)]], settings = { sessionTokens: 1_000 } } =
    options;
  const { port = openPort(), caller = ada } = options;
  await using workspace = await openTempWorkspace();
  const asked: ModelRequest[] = [];
  const script = scriptedModel(answers);
  const model = {
    ...script,
    stream(request: ModelRequest) {
      asked.push(request);
      return script.stream(request);
    },
  };
  const ledger = openHeldLedger();
  const budget = createSessionBudget(port.port, settings);
  const prices = { scripted: { input: 1, output: 2 } };
  const base = { model, tools: [], workspace, ledger, budget, prices };
  const session = await openDrivenSession(base);
  await session.prompt(
    { messageId: "m", taskId: "t", parts: [{ type: "text", text: "go" }] },
    caller,
  );
  const events: object[] = [];
  let error: string | undefined;
  for await (const event of ledger.read()) {
    if (event.kind === "WARNING") events.push(event.warning);
    if (event.kind === "CONSOLE_LOG") events.push(event.log);
    if (event.kind !== "STATE_CHANGE" || !["completed", "failed"].includes(event.state)) continue;
    error = event.error;
    break;
  }
  await session.close();
  return { ...port, asked, events, error };
}

test("a model call reserves its input and its largest output, then settles what it used [TEAM-04]", async () => {
  const { requests, settled, asked, error } = await runTurn({
    settings: { sessionTokens: 1_000, dayCost: 0.5, replyTokens: 300 },
  });

  expect(requests).toEqual([
    {
      limits: { sessionTokens: 1_000, dayNanos: 500_000_000 },
      input: { tokens: expect.any(Number), nanos: expect.any(Number) },
      leastOutput: 256,
      mostOutput: 300,
      outputNanos: 2_000,
    },
  ]);
  expect(asked[0]?.maxOutputTokens).toBe(300);
  expect(settled).toEqual([{ tokens: 120, nanos: 100 * 1_000 + 20 * 2_000 }]);
  expect(error).toBeUndefined();
});

test("a call that would cross a budget is not made, and the turn says how to go on [TEAM-04]", async () => {
  const use = { scope: "session", unit: "tokens", used: 900, limit: 1_000 } as const;
  const port = openPort(() => ({ type: "refused", use, needed: 350 }));

  const { asked, error } = await runTurn({ port });

  expect(asked).toEqual([]);
  expect(error).toBe(
    "the budget of this session is 1000 tokens, of which 900 are used or reserved, and the next call of the model needs at least 350; start a new session, or raise budget.sessionTokens in the settings",
  );
});

test.each([
  [
    "session",
    "the budget of this session is 100 tokens, of which 0 are used or reserved, and the next call of the model needs at least 350; one call needs more than the whole budget, so a new session does not help; raise budget.sessionTokens in the settings, or send a shorter prompt",
  ],
  [
    "day",
    "the owner's budget of 2026-01-31 (UTC) is 100 tokens, of which 0 are used or reserved, and the next call of the model needs at least 350; one call needs more than the whole budget, so waiting does not help; raise budget.dayTokens in the settings, or send a shorter prompt",
  ],
] as const)(
  "if one call needs more than the budget of a %s, the error does not advise to try again [TEAM-04]",
  async (scope, expected) => {
    const use = { scope, unit: "tokens", used: 0, limit: 100, day: "2026-01-31" } as const;
    const port = openPort(() => ({ type: "refused", use, needed: 350 }));

    const { error } = await runTurn({ port });

    expect(error).toBe(expected);
  },
);

test("the error of a used-up day budget says when the next day begins [TEAM-04]", async () => {
  const use = {
    scope: "day",
    unit: "nanos",
    used: 4_200_000_000,
    limit: 5_000_000_000,
    day: "2026-01-31",
  } as const;
  const port = openPort(() => ({ type: "refused", use, needed: 900_000_000 }));

  const { error } = await runTurn({ port });

  expect(error).toBe(
    "the owner's budget of 2026-01-31 (UTC) is 5 USD, of which 4.2 are used or reserved, and the next call of the model needs at least 0.9; go on after midnight UTC, or raise budget.dayCost in the settings",
  );
});

test("a warning is announced when 80 % of a budget are used [TEAM-04]", async () => {
  const quiet = await runTurn({ answers: [[say("done"), usage(700, 99)]] });
  const loud = await runTurn({ answers: [[say("done"), usage(700, 100)]] });

  expect(quiet.events).toEqual([]);
  expect(loud.events).toEqual([
    {
      message:
        "80 % of the budget of this session of 1000 tokens are used; beyond it, start a new session, or raise budget.sessionTokens in the settings",
    },
  ]);
});

test("a notice announces that the budget shortens a reply", async () => {
  const port = openPort(() => ({ type: "granted", reservationId: "r", output: 260 }));

  const { asked, events } = await runTurn({ port });

  expect(asked[0]?.maxOutputTokens).toBe(260);
  expect(events).toEqual([
    { type: "warn", content: "the budget leaves 260 tokens for this reply" },
  ]);
});

test("without reported usage, the usage of a reply is estimated, and a refused call costs nothing [TEAM-04]", async () => {
  const fail = (parts: readonly ModelPart[]): ScriptedAnswer =>
    function* () {
      yield* parts;
      throw new Error("broken");
    };

  const silent = await runTurn({ answers: [[say("x".repeat(600))]] });
  const broken = await runTurn({ answers: [fail([say("x".repeat(600))])] });
  const refused = await runTurn({ answers: [fail([])] });

  expect(silent.settled[0]?.tokens).toBeGreaterThan(200);
  expect(broken.settled).toEqual(silent.settled);
  expect(refused.settled).toEqual([{ tokens: 0, nanos: 0 }]);
});

test("the limits of a tier apply to prompts of the owner, not to prompts of other users [TEAM-04]", async () => {
  const settings = { dayTokens: 100, tiers: { gold: { dayTokens: 900 } } };

  const ofOwner = await runTurn({ settings, caller: ada });
  const ofOther = await runTurn({ settings, caller: bob });

  expect(ofOwner.requests[0]?.limits).toEqual({ dayTokens: 900 });
  expect(ofOther.requests[0]?.limits).toEqual({ dayTokens: 100 });
});

test("with a limit of money, a model without a price is refused", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const budget = createSessionBudget(openPort().port, { dayCost: 1 });
  const model = scriptedModel([[say("never")]]);
  const session = await openDrivenSession({ model, tools: [], workspace, ledger, budget });

  await session.prompt({ messageId: "m", taskId: "t", parts: [{ type: "text", text: "go" }] }, ada);
  const failed = async () => {
    for await (const event of ledger.read())
      if (event.kind === "STATE_CHANGE" && event.state === "failed") return event.error;
    return undefined;
  };

  expect(await failed()).toContain("the price of scripted is not known");
  await session.close();
});
