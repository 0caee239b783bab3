import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isQuestion, isText } from "../../../packages/client/dist/esm/index.js";

export const AGENT_SCENARIOS = {
  async initialize(stage) {
    const task = await start(stage, "say hello");
    // The first reply may be an error, because some agents open a session only after dt has signed in.
    while (replyTo(stage, "session/new")?.result === undefined) await delay(100);
    // The run may have no stand-in for the model of this agent. The agent would then retry for a long time.
    await task.cancel().catch(() => {});

    assert.equal(replyTo(stage, "initialize")?.result?.protocolVersion, 1);
    assert.ok(replyTo(stage, "session/new")?.result?.sessionId, "no session was opened");
  },

  async text(stage) {
    const { text, state } = await runTurn(stage, await start(stage, "say one then say two"));

    assert.deepEqual([text, state], ["onetwo", "completed"]);
  },

  async approve(stage) {
    const task = await start(stage, "write a.txt: proposed then say done");
    const { text, questions } = await runTurn(stage, task, "proceed_once");

    const [{ confirmationRequest }] = questions;
    assert.equal(confirmationRequest.details.value.newContent, "proposed");
    assert.equal(questions.length, 1);
    assert.deepEqual([text, stage.readFile("a.txt")], ["done", "proposed"]);
  },

  async refuse(stage) {
    const task = await start(stage, "write a.txt: proposed then say done");
    await runTurn(stage, task, "cancel");
    const next = await prompt(stage, task, "say still here");

    assert.equal(stage.readFile("a.txt"), undefined);
    assert.deepEqual([next.text, next.state], ["still here", "completed"]);
  },

  async always(stage) {
    const task = await start(stage, "write a.txt: one then write b.txt: two then say done");
    const { questions } = await runTurn(stage, task, "proceed_always");

    assert.equal(questions.length, 1);
    assert.deepEqual([stage.readFile("a.txt"), stage.readFile("b.txt")], ["one", "two"]);
    assert.deepEqual(chosenKinds(stage), ["allow_once", "allow_once"]);
  },

  async cancel(stage) {
    const task = await start(stage, "say working then wait");
    const seen = await runTurn(stage, task, undefined, (event) => isText(event) && task.cancel());
    const next = await prompt(stage, task, "say still here");

    assert.deepEqual([seen.state, next.text], ["canceled", "still here"]);
  },

  async "agent killed"(stage) {
    const task = await start(stage, "say first");
    await runTurn(stage, task);
    await task.prompt("write a.txt: proposed then say done");
    const { state, calls } = await runTurn(stage, task, undefined, async (event) => {
      if (!isQuestion(event)) return;
      await stage.untilLoadable();
      stage.killAgent();
    });
    const next = await prompt(stage, task, "say back again");

    assert.equal(state, "failed");
    assert.ok(calls.includes("CANCELLED"), `the calls ended with ${calls}`);
    checkContinued(stage, next);
  },

  async "server killed"(stage) {
    const { contextId } = await askAndStop(stage);
    await stage.untilLoadable();
    await stage.killServer();
    const task = await stage.client.openSession(contextId);
    const next = await prompt(stage, task, "say back again");

    checkContinued(stage, next);
  },

  async offers(stage) {
    const task = await start(stage, "say hello");
    const { usage } = await runTurn(stage, task);
    const { contextId } = task;
    const commands = await stage.client.commands({ contextId });

    assert.ok(usage !== undefined, "no usage was reported");
    for (const name of offeredCommands(stage)) {
      assert.ok(
        commands.some((command) => command.name === name),
        `the command ${name} is missing`,
      );
    }
    const { result } = replyTo(stage, "session/new");
    assert.ok(result.models ?? result.modes ?? result.configOptions, "nothing was offered");
  },
};

async function start({ client, workspace }, text) {
  return await client.startTask({ workspacePath: workspace, prompt: text });
}

async function prompt(stage, task, text) {
  await task.prompt(text);
  return await runTurn(stage, task);
}

/** Follows a turn to its end, and answers its questions. `react` may do something else at an event. */
async function runTurn(_stage, task, answer, react) {
  const seen = {
    text: "",
    questions: [],
    calls: [],
    warnings: [],
    state: undefined,
    usage: undefined,
  };
  for await (const event of task.events()) {
    if (isText(event)) seen.text += event.text;
    if (event.kind === "TOOL_CALL_UPDATE") seen.calls.push(event.toolCall.status);
    if (event.kind === "WARNING") seen.warnings.push(event.warning.message);
    if (event.kind === "STATE_CHANGE") {
      seen.state = event.state;
      seen.usage = event.usage ?? seen.usage;
    }
    await react?.(event);
    if (!isQuestion(event)) continue;
    seen.questions.push(event.toolCall);
    if (answer !== undefined) await task.answer(event.toolCall, answer);
  }
  return seen;
}

/** Returns when the agent asks. Nobody answers. */
async function askAndStop(stage) {
  const task = await start(stage, "say first");
  await runTurn(stage, task);
  await task.prompt("write a.txt: proposed then say done");
  for await (const event of task.events()) if (isQuestion(event)) break;
  return task;
}

/** Checks that nothing was approved, and that the agent loaded its session. */
function checkContinued(stage, { text, state, warnings }) {
  assert.equal(stage.readFile("a.txt"), undefined);
  assert.deepEqual([text, state, warnings], ["back again", "completed", []]);
  assert.ok(replyTo(stage, "session/load")?.result, "the session was not loaded");
}

/** Returns the agent's last reply to a request of dt. */
function replyTo(stage, method) {
  const messages = stage.messages();
  const at = messages.findLastIndex(({ from, json }) => from === "dt" && json.method === method);
  return messages
    .slice(at + 1)
    .find(({ from, json }) => from === "agent" && json.id === messages[at]?.json.id && !json.method)
    ?.json;
}

/** Returns the kinds of the options that dt chose for the agent's permission requests. */
function chosenKinds(stage) {
  const messages = stage.messages().map(({ from, json }) => ({ from, json }));
  return messages
    .filter(({ json }) => json.method === "session/request_permission")
    .map(({ json: { id, params } }) => {
      const reply = messages.find(
        ({ from, json }) => from === "dt" && json.id === id && json.result,
      );
      const optionId = reply?.json.result.outcome.optionId;
      return params.options.find((option) => option.optionId === optionId)?.kind;
    });
}

/** Returns the names of the slash commands that the agent announced last. */
function offeredCommands(stage) {
  const offers = stage
    .messages()
    .flatMap(({ json }) => json.params?.update?.availableCommands ?? []);
  return offers
    .map(({ name }) => name)
    .filter((name) => /^\w+$/.test(name))
    .slice(-3);
}
