import { expect, test } from "vitest";
import { openQuestions, type TaskHandle, type TaskView } from "../index.js";
import { buildEditQuestion, createFakeAgent, type FakeScript } from "../testing/index.js";

const workspacePath = "/work";
const ask: FakeScript = async (turn) => {
  if (turn.text === "ask") {
    const [answer] = await turn.ask(buildEditQuestion());
    turn.update({ ...buildEditQuestion(), status: "SUCCEEDED" });
    turn.say(`answered ${answer?.selectedOptionId}`);
  } else turn.say(turn.text);
};

/** Resolves when a handle's view matches. */
function until(task: TaskHandle, fits: (view: TaskView) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = task.subscribe(check);
    function check() {
      if (!fits(task.view())) return;
      stop();
      resolve();
    }
    check();
  });
}

const saidLast = ({ items }: TaskView) =>
  items.flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : [])).at(-1);

/** Opens an agent that asks, and records the requests that it receives. */
function openAgent() {
  const agent = createFakeAgent({ script: ask });
  const sent: { readonly method: string; readonly taskId: unknown; readonly text: string }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const text = String(init?.body ?? "");
    if (text !== "") {
      const { method, params } = JSON.parse(text);
      sent.push({ method, taskId: params.message?.taskId ?? params.id, text });
    }
    return await agent.fetch(input, init);
  };
  return { connect: () => agent.connect({ fetch, version: "1.0" }), sent };
}

/** Opens a task that asks, and a later task of the same session that waits for it. */
async function openQueued() {
  const { connect, sent } = openAgent();
  const client = await connect();
  const asking = await client.startTask({ workspacePath, prompt: "ask" });
  await until(asking, (view) => openQuestions(view).length > 0);
  const leave = asking.subscribe(() => {});
  const { contextId } = asking;
  const askingId = asking.taskId;
  const waiting = await client.startTask({ contextId, workspacePath, prompt: "later" });
  await until(asking, ({ queue }) => queue.length > 0);
  return { client, asking, askingId, waiting, sent, leave };
}

test("an answer goes to the task that asks, even if a later task is queued [CLI-10]", async () => {
  const { client, asking, askingId, waiting, sent } = await openQueued();
  expect(waiting.taskId).not.toBe(askingId);
  expect(asking.taskId).toBe(waiting.taskId);
  const [question] = openQuestions(asking.view());
  if (question === undefined) throw new Error("nothing is asked");

  expect(await asking.answer(question, "proceed_once")).toEqual({ accepted: true });
  await until(asking, (view) => saidLast(view) === "later");
  client.close();

  const answers = sent.filter(({ text }) => text.includes("proceed_once"));
  expect(answers.map(({ taskId }) => taskId)).toEqual([askingId]);
});

test("cancel() ends the task that asks, even if a later task is queued", async () => {
  const { client, asking, askingId, sent } = await openQueued();

  await asking.cancel();
  await until(asking, (view) => saidLast(view) === "later");
  client.close();

  const cancels = sent.filter(({ method }) => /cancel/i.test(method));
  expect(cancels.map(({ taskId }) => taskId)).toEqual([askingId]);
});

test.each(["is aborted before it is sent", "is refused by the agent"])(
  "a prompt that %s does not block later prompts",
  async (when) => {
    const agent = createFakeAgent();
    const isByAgent = when === "is refused by the agent";
    const isRefused = (body: unknown) => isByAgent && /"two"/.test(String(body));
    const fetch: typeof globalThis.fetch = async (input, init) =>
      isRefused(init?.body) ? new Response("no", { status: 403 }) : await agent.fetch(input, init);
    const client = await agent.connect({ fetch });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    await until(task, ({ state }) => state === "completed");
    const signal = isByAgent ? new AbortController().signal : AbortSignal.abort();

    const [failed, ...later] = await Promise.allSettled([
      task.prompt("two", { signal }),
      task.prompt("three"),
      task.prompt("four"),
    ]);
    expect(failed.status).toBe("rejected");
    expect(later.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    await until(task, (view) => saidLast(view) === "four");
    client.close();
  },
);

test("a prompt that is aborted while another is being sent is never sent", async () => {
  const { connect, sent } = openAgent();
  const client = await connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });
  const abort = new AbortController();

  const [first, second] = [task.prompt("two"), task.prompt("three", { signal: abort.signal })];
  abort.abort(new Error("changed my mind"));
  await expect(second).rejects.toThrow("changed my mind");
  await first;
  await task.prompt("four");
  await until(task, (view) => saidLast(view) === "four");
  client.close();

  expect(sent.filter(({ text }) => text.includes('"three"'))).toEqual([]);
});
