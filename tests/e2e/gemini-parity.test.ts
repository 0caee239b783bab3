import path from "node:path";
import {
  createBuiltinTools,
  createModelEngine,
  createOfflineModel,
  createSession,
  openWorkspace,
} from "@dt/agent-core";
import { type AgentClient, isTitle, type SessionEvent } from "@dt/client";
import { geminiScript, type StandInTurn } from "@dt/client/testing";
import type { AgentServerOptions } from "@dt/server";
import { expect, test } from "vitest";
import { openGeminiStage } from "./support/open-gemini-stage.js";
import { openStage } from "./support/open-stage.js";

const { call, runShell, say, writeFile } = geminiScript;

// Each scenario runs against our own server and against the stand-in for gemini-cli's server. Both must
// produce the same events in the same order, except for live output and titles.
interface Scenario {
  readonly name: string;
  /** The prompt for the offline model of our own server. */
  readonly prompt: string;
  /** The turn that the stand-in plays. */
  readonly turn: (root: string) => StandInTurn;
  readonly answer?: string | { readonly newContent: string };
  readonly settings?: { readonly autoExecute: boolean };
  readonly cancelsAt?: SessionEvent["state"];
}

const scenarios: readonly Scenario[] = [
  {
    name: "text",
    prompt: "say one then say two",
    turn: () => [say("one"), say("two")],
  },
  {
    name: "a thought",
    prompt: "think plan: look first then say done",
    turn: () => [{ type: "think", subject: "plan", description: "look first" }, say("done")],
  },
  {
    name: "an approved edit",
    prompt: "write a.txt: hi then say done",
    turn: (root) => [call(writeFile(`${root}/a.txt`, "hi")), say("done")],
    answer: "proceed_once",
  },
  {
    name: "a file write whose content the user changes before approval",
    prompt: "write a.txt: hi then say done",
    turn: (root) => [call(writeFile(`${root}/a.txt`, "hi")), say("done")],
    answer: { newContent: "ho" },
  },
  {
    name: "a refused edit",
    prompt: "write a.txt: hi",
    turn: (root) => [call(writeFile(`${root}/a.txt`, "hi"))],
    answer: "cancel",
  },
  {
    name: "a shell command",
    prompt: "run echo hi then say done",
    turn: () => [call(runShell("echo hi", ["hi"])), say("done")],
    answer: "proceed_always",
  },
  {
    name: "a call that fails before it runs",
    prompt: "read nope.txt then say sorry",
    turn: () => [
      call({
        name: "read_file",
        args: { file_path: "nope.txt" },
        error: { message: "nope.txt does not exist", type: "not_found", isInvalid: true },
      }),
      say("sorry"),
    ],
  },
  {
    name: "a question that is cancelled with its task",
    prompt: "write a.txt: hi",
    turn: (root) => [call(writeFile(`${root}/a.txt`, "hi"))],
    cancelsAt: "input-required",
  },
  {
    name: "a model that fails",
    prompt: "fail no more tokens",
    turn: () => [{ type: "fail", message: "no more tokens", error: "no more tokens" }],
  },
];

test.each(scenarios)(
  "our server and the gemini-cli stand-in send the same events: $name",
  async (scenario) => {
    await using own = await openStage({ server: { openAgent: openAgentWithShell } });
    await using gemini = await openGeminiStage({ turns: [scenario.turn(own.workspace.root)] });

    const expected = await runScenario(await own.connect(), own.workspace.root, scenario);
    const events = await runScenario(await gemini.connect(), own.workspace.root, scenario);

    expect(events).toEqual(expected);
  },
);

const openAgentWithShell: AgentServerOptions["openAgent"] = async ({
  settings,
  ledger,
  journal,
}) => {
  const outputDirectory = path.join(settings.workspacePath, ".output");
  return await createSession({
    engine: createModelEngine({
      model: createOfflineModel(),
      tools: createBuiltinTools({
        environment: { PATH: process.env.PATH },
        outputDirectory,
        memoryFile: path.join(outputDirectory, "memory.md"),
      }),
      workspace: await openWorkspace(settings.workspacePath),
    }),
    ledger,
    journal,
  });
};

async function runScenario(client: AgentClient, root: string, scenario: Scenario) {
  const { prompt, answer, cancelsAt } = scenario;
  const task = await client.startTask({ workspacePath: root, prompt });
  const lines: unknown[] = [];
  for await (const event of task.events()) {
    // The number of live output updates depends on timing.
    if (event.kind === "TOOL_CALL_UPDATE" && event.toolCall.liveContent !== undefined) continue;
    // gemini-cli's server has no titles.
    if (isTitle(event)) continue;
    lines.push(lineOf(event));
    if (event.kind !== "STATE_CHANGE" || event.waiting?.[0] === undefined) continue;
    if (event.state === cancelsAt) await task.cancel();
    else if (answer !== undefined) await task.answer(event.waiting[0], answer);
  }
  const { state, items } = task.view();
  return { lines, state, items: items.map(({ event }) => event.kind) };
}

function lineOf(event: SessionEvent): unknown {
  const { kind, state } = event;
  switch (event.kind) {
    case "TEXT_CONTENT":
      return { kind, state, text: event.text };
    case "THOUGHT":
      return { kind, state, thought: event.thought };
    case "STATE_CHANGE":
      return { kind, state, waits: event.waiting?.length ?? 0, failed: event.error !== undefined };
    case "TOOL_CALL_UPDATE": {
      const { toolName, status, confirmationRequest, result } = event.toolCall;
      return {
        kind,
        state,
        toolName,
        status,
        options: confirmationRequest?.options.map(({ id }) => id),
        details: confirmationRequest?.details?.$case,
        result: result?.$case,
        answer: event.answer?.selectedOptionId,
      };
    }
    default:
      return { kind, state };
  }
}
