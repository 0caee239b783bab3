import { randomUUID } from "node:crypto";
import { connect } from "@dt/client";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "../support/raw-rpc.js";
import { deferred, jsonOf } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };

const openAgent = createScriptedAgent(async (turn) => {
  for (const piece of ["one ", "two "]) await turn.say(piece);
});

const say = (parts: readonly object[], ids: object = {}) => ({
  message: { role: "ROLE_USER", messageId: "m-1", parts, ...ids },
});

test.each([
  ["another file", [{ text: "read" }, { raw: "eQ==", mediaType: "text/plain" }]],
  ["another file name", [{ text: "read" }, { raw: "eA==", filename: "b.txt" }]],
  ["other data", [{ text: "read" }, { data: { a: 1 } }]],
  ["no file", [{ text: "read" }]],
])("a second message with the same id but with %s is refused [LOG-05]", async (_, parts) => {
  await using server = await openTestServer({ openAgent });
  const file = { raw: "eA==", mediaType: "text/plain", filename: "a.txt" };
  const first = say([{ text: "read" }, file]);

  const accepted = await jsonOf(await post(server.url, "SendMessage", first, V1));
  const again = await jsonOf(await post(server.url, "SendMessage", first, V1));
  const changed = await jsonOf(await post(server.url, "SendMessage", say(parts), V1));

  expect(again.result).toEqual(accepted.result);
  expect(changed.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("m-1 is the id of another message"),
  });
});

test.each(["0.3", "1.0"])(
  "in A2A %s the stream of a re-sent message begins with the current task [LOG-05]",
  async (version) => {
    const gate = deferred();
    const reached = deferred();
    await using server = await openTestServer({
      openAgent: createScriptedAgent(async (turn) => {
        await turn.say("before ");
        reached.resolve();
        await gate.promise;
        await turn.say("after");
      }),
    });
    const is03 = version === "0.3";
    const method = is03 ? "message/stream" : "SendStreamingMessage";
    const params = is03
      ? { message: { role: "user", messageId: "m-1", parts: [{ kind: "text", text: "go" }] } }
      : say([{ text: "go" }]);
    const send = (headers: object = {}) =>
      post(server.url, method, params, { "A2A-Version": version, ...headers });

    const first = send();
    await reached.promise;
    const joining = await send();
    gate.resolve();
    const [whole, joined] = [await readStream(await first), await readStream(joining)];
    const later = await readStream(await send());
    const seen =
      1 + whole.findIndex(({ id, json }) => id && JSON.stringify(json).includes("before"));
    const after = await readStream(await send({ "Last-Event-ID": whole[seen - 1]?.id ?? "" }));

    const taskIn = ({ json }: (typeof whole)[number]) => (is03 ? json.result : json.result.task);
    expect(JSON.stringify(taskIn(joined[0]!))).toContain("before");
    expect(joined.slice(1)).toEqual(whole.slice(1 - joined.length));
    expect(later).toHaveLength(1);
    expect(taskIn(later[0]!).status.state).toMatch(/completed/i);
    // On A2A 1.0 every stream begins with the task.
    expect(is03 ? after : after.slice(1)).toEqual(whole.slice(seen));
  },
);

test("the response to a re-sent message is the whole task, with the turns of later messages", async () => {
  await using server = await openTestServer({ openAgent, isLive: true });
  const first = await jsonOf(await post(server.url, "SendMessage", say([{ text: "a" }]), V1));
  const other = say([{ text: "b" }], { messageId: "m-2", taskId: first.result.task.id });
  await post(server.url, "SendMessage", other, V1);

  const again = await jsonOf(await post(server.url, "SendMessage", say([{ text: "a" }]), V1));

  const texts = again.result.task.history.map(({ parts }: { parts: { text: string }[] }) =>
    parts.map(({ text }) => text).join(""),
  );
  expect(texts).toEqual(["a", "one two ", "b", "one two "]);
});

test("@dt/client gets every event of a message whose first response was lost [LOG-01]", async () => {
  await using server = await openTestServer({ openAgent });
  let sent = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(init?.body).includes("SendStreamingMessage")) return response;
    sent += 1;
    if (sent > 1) return response;
    // The turn runs to its end, but the client never gets the response.
    await response.text();
    throw new TypeError("the connection was lost");
  };
  const client = await connect(server.url, { fetch: losing, clientName: randomUUID() });

  const task = await client.startTask({ prompt: "go", workspacePath: server.workspacePath });
  const texts: string[] = [];
  for await (const event of task.events())
    if (event.kind === "TEXT_CONTENT") texts.push(event.text);

  expect(sent).toBe(2);
  expect(texts).toEqual(["one ", "two "]);
  expect(task.view().items.map(({ event }) => event.kind)).toEqual(["USER_PROMPT", "TEXT_CONTENT"]);
  client.close();
});
