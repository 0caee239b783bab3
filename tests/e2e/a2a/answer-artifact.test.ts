import { randomUUID } from "node:crypto";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer, type TurnScript } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "../support/raw-rpc.js";
import { deferred, jsonOf, openWsClient } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };

const say = (text: string, ids: object = {}) => ({
  message: { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text }], ...ids },
});

async function openPlainServer(script: TurnScript) {
  const server = await openTestServer({ openAgent: createScriptedAgent(script) });
  const stream = async (method: string, params: object, headers = {}) =>
    (await readStream(await post(server.url, method, params, { ...V1, ...headers }))).map(
      ({ id, json }) => ({ ...json.result, id }),
    );
  const get = async (id: string) =>
    (await jsonOf(await post(server.url, "GetTask", { id }, V1))).result;
  return { ...server, stream, get };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

/** Applies frames as the SDKs do, and returns the text of each artifact by its id. */
function artifactsOf(frames: readonly Json[]): Record<string, string> {
  const artifacts: Record<string, string> = {};
  const textIn = (artifact: Json) => artifact.parts.map((part: Json) => part.text).join("");
  for (const { task, artifactUpdate } of frames) {
    for (const artifact of task?.artifacts ?? []) artifacts[artifact.artifactId] = textIn(artifact);
    if (artifactUpdate === undefined) continue;
    const { artifact, append } = artifactUpdate;
    const known = artifacts[artifact.artifactId];
    // An SDK cannot append to an artifact that it does not know, so it ignores the chunk.
    if (append && known === undefined) continue;
    artifacts[artifact.artifactId] = (append ? known : "") + textIn(artifact);
  }
  return artifacts;
}

const talk: TurnScript = async (turn) => {
  await turn.say("I look ");
  await turn.say("at it.");
  for (const status of ["PENDING", "EXECUTING", "SUCCEEDED"] as const) {
    await turn.emit({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) });
  }
  await turn.say("It is ");
  await turn.say("fine.");
};
const TALKED = "I look at it.\n\nIt is fine.";

test("a plain client gets the reply as chunks of one artifact while the agent replies", async () => {
  const gate = deferred();
  await using server = await openPlainServer(async (turn) => {
    await turn.say("one ");
    await gate.promise;
    await turn.say("two");
  });
  using client = await openWsClient(`${server.wsUrl}?A2A-Version=1.0`);
  client.send({ jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: say("go") });

  await client.until(({ result }) => result?.artifactUpdate?.artifact.parts[0].text === "one ");
  gate.resolve();
  const frames = (await client.stream(1)).map(({ result }) => result);

  const updates = frames.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
  const { id } = frames[0].task;
  expect(updates).toEqual(
    [
      { parts: [{ text: "one " }], append: false, lastChunk: false },
      { parts: [{ text: "two" }], append: true, lastChunk: false },
      { parts: [{ text: "" }], append: true, lastChunk: true },
    ].map(({ parts, ...flags }) => ({
      taskId: id,
      contextId: frames[0].task.contextId,
      artifact: { artifactId: `${id}:answer`, name: "answer", parts },
      ...flags,
    })),
  );
});

test("the chunks and the task's artifact have the whole text of the status messages", async () => {
  await using server = await openPlainServer(talk);

  const frames = await server.stream("SendStreamingMessage", say("go"));
  const { id } = frames[0].task;

  const said = frames.flatMap(({ statusUpdate }) => statusUpdate?.status.message?.parts ?? []);
  expect(artifactsOf(frames)).toEqual({ [`${id}:answer`]: TALKED });
  expect(artifactsOf([{ task: await server.get(id) }])).toEqual({ [`${id}:answer`]: TALKED });
  expect(said.map(({ text }) => text)).toEqual(["I look ", "at it.", "It is ", "fine."]);
});

test("a subscriber gets the same chunks and questions as the client that sent the prompt", async () => {
  const gates = [deferred(), deferred()];
  await using server = await openPlainServer(async (turn) => {
    await turn.say("one ");
    gates[0]?.resolve();
    await gates[1]?.promise;
    await talk(turn);
    await turn.ask(buildQuestion());
  });
  using client = await openWsClient(`${server.wsUrl}?A2A-Version=1.0`);
  const request = (id: number, method: string, params: object) =>
    client.send({ jsonrpc: "2.0", id, method, params });
  request(1, "SendStreamingMessage", say("go"));
  const { result } = await client.until((frame) => frame.result?.task);
  const { id } = result.task;
  await gates[0]?.promise;
  request(2, "SubscribeToTask", { id });
  await client.until((frame) => frame.id === 2);
  gates[1]?.resolve();
  const sent = await client.stream(1);
  await client.until((frame) => frame.id === 2 && frame.cursor === sent.at(-1).cursor);

  const subscribed = client.frames.filter((frame) => frame.id === 2);
  const frames = (list: readonly Json[]) =>
    list.map(({ result: frame, cursor }) => ({ frame, cursor }));
  // The subscription starts with the task. Its other frames are the last frames that the sender got.
  expect(frames(subscribed.slice(1))).toEqual(frames(sent).slice(-(subscribed.length - 1)));
  expect(artifactsOf(subscribed.map(({ result: frame }) => frame))).toEqual(
    artifactsOf(sent.map(({ result: frame }) => frame)),
  );
});

test.each(["SubscribeToTask", "SendStreamingMessage"])(
  "%s with a cursor sends exactly the later chunks of the artifact [LOG-02]",
  async (method) => {
    await using server = await openPlainServer(talk);
    const params = say("go");
    const frames = await server.stream("SendStreamingMessage", params);
    const { id } = frames[0].task;
    const resumed = frames.flatMap((frame, index) => (frame.id ? [index] : [])).slice(0, -1);

    for (const index of resumed) {
      const after = { "Last-Event-ID": frames[index].id };
      const rest = await server.stream(
        method,
        method === "SubscribeToTask" ? { id } : params,
        after,
      );
      const kept = frames.slice(0, index + 1);

      expect(artifactsOf([...kept, ...rest])).toEqual({ [`${id}:answer`]: TALKED });
    }
    expect(resumed.length).toBe(6);
  },
);

test("an open question is an artifact, and an answered question is not", async () => {
  await using server = await openPlainServer(async (turn) => {
    await turn.say("May I?");
    const [answer] = await turn.ask(buildQuestion());
    await turn.say(`chosen: ${answer?.selectedOptionId}`);
  });

  const asked = await server.stream("SendStreamingMessage", say("go"));
  const { id, contextId } = asked[0].task;
  const waiting = await server.get(id);
  const unclear = await server.stream(
    "SendStreamingMessage",
    say("well", { taskId: id, contextId }),
  );
  const answered = await server.stream(
    "SendStreamingMessage",
    say("proceed_once", { taskId: id, contextId }),
  );
  const done = await server.get(id);

  const question = { [`${id}:question`]: asked.at(-1).statusUpdate.status.message.parts[0].text };
  expect(artifactsOf(asked)).toEqual({ [`${id}:answer`]: "May I?", ...question });
  expect(artifactsOf([{ task: waiting }])).toEqual(artifactsOf(asked));
  expect(artifactsOf(unclear.slice(1))).toEqual(question);
  expect(artifactsOf(answered)).toEqual({ [`${id}:answer`]: "chosen: proceed_once" });
  // The task has no artifact for a question that was answered.
  expect(artifactsOf([{ task: done }])).toEqual({ [`${id}:answer`]: "chosen: proceed_once" });
});

test("a turn without text has no artifact", async () => {
  await using server = await openPlainServer(async () => {});

  const frames = await server.stream("SendStreamingMessage", say("go"));

  expect(frames.flatMap(({ artifactUpdate }) => artifactUpdate ?? [])).toEqual([]);
  expect(await server.get(frames[0].task.id)).not.toHaveProperty("artifacts");
});
