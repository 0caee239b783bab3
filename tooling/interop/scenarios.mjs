// The first five scenarios need only a conversation, which every client has. The others need A2A methods.
import assert from "node:assert/strict";
import { toSeen } from "./to-seen.mjs";

const HOUR_MS = 3_600_000;
const TOKEN = "known-to-both";
const DEVELOPMENT_TOOL_URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

export const SCENARIOS = {
  async text(client) {
    const reply = await client.converse().send("say one then say two");

    assert.equal(reply, "onetwo");
  },

  /** Cancels the task when its first text arrives. A client that does not stream would wait for an hour. */
  async stream(client, stage) {
    const texts = [];
    for await (const text of client.converse().stream(`say one then wait ${HOUR_MS}`)) {
      texts.push(text);
      if (text.includes("one")) await stage.cancelWorking();
    }

    assert.ok(texts.some((text) => text.includes("one")));
  },

  async question(client, stage) {
    const question = await join(client.converse().stream(`write ${stage.file}: proposed`));

    assert.match(question, new RegExp(stage.file));
    assert.match(question, /proceed_once/);
    assert.match(question, /cancel/);
    assert.equal(stage.readFile(), undefined);
  },

  async approve(client, stage) {
    const conversation = client.converse();
    await join(conversation.stream(`write ${stage.file}: proposed then say done`));
    const reply = await join(conversation.stream("proceed_once"));

    assert.match(reply, /done/);
    assert.equal(stage.readFile(), "proposed");
  },

  async refuse(client, stage) {
    const conversation = client.converse();
    await join(conversation.stream(`write ${stage.file}: proposed then say done`));
    const reply = await join(conversation.stream("cancel"));

    assert.match(reply, /done/);
    assert.equal(stage.readFile(), undefined);
  },

  async edit(client, stage) {
    const extensions = [DEVELOPMENT_TOOL_URI];
    const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace } };
    const text = `write ${stage.file}: proposed then say done`;
    const asked = await collect(client.stream({ text, extensions, metadata }));
    const { taskId, contextId, data } = asked.at(-1);
    const answer = {
      tool_call_id: data[0].tool_call_id,
      selected_option_id: "proceed_once",
      file_details: { new_content: "edited" },
    };
    const end = (await collect(client.stream({ data: answer, taskId, contextId, extensions }))).at(
      -1,
    );

    assert.equal(end.state, "completed");
    assert.equal(stage.readFile(), "edited");
  },

  async cancel(client) {
    let canceled;
    let last;
    for await (const seen of client.stream({ text: `say one then wait ${HOUR_MS}` })) {
      last = seen;
      if (seen.text === "one") canceled = await client.cancel(seen.taskId);
    }

    assert.deepEqual([canceled?.state, last?.state], ["canceled", "canceled"]);
  },

  async resubscribe(client, stage) {
    const { taskId, contextId } = await client.send({
      text: `write ${stage.file}: proposed then say done`,
    });
    const subscription = client.resubscribe(taskId)[Symbol.asyncIterator]();
    const { value: first } = await subscription.next();
    await client.send({ text: "proceed_once", taskId, contextId });
    const rest = await collect({ [Symbol.asyncIterator]: () => subscription });

    assert.equal(first.state, "input-required");
    assert.equal(rest.at(-1)?.state, "completed");
    assert.match(rest.map(({ text }) => text).join(""), /done/);
  },

  async lists(client) {
    const first = await client.send({ text: "say one" });
    const { contextId } = first;
    const second = await client.send({ text: "say two", contextId });
    const idsOf = ({ tasks }) => tasks.map(({ taskId }) => taskId);

    const all = await client.list({ contextId });
    const page = await client.list({ contextId, pageSize: 1 });
    const next = await client.list({ contextId, pageSize: 1, pageToken: page.nextPageToken });
    const failed = await client.list({ contextId, status: "TASK_STATE_FAILED" });

    assert.deepEqual(idsOf(all), [second.taskId, first.taskId]);
    assert.deepEqual([...idsOf(page), ...idsOf(next)], idsOf(all));
    assert.deepEqual(idsOf(failed), []);
  },

  async push(client, stage) {
    const receiver = await stage.openReceiver();
    const { taskId, contextId } = await client.send({ text: `write ${stage.file}: proposed` });
    const config = { id: "mine", url: receiver.url, token: TOKEN };

    await client.setPush(taskId, config);
    const got = await client.getPush(taskId, config.id);
    const listed = await client.listPush?.(taskId);
    await client.send({ text: "proceed_once", taskId, contextId });
    const { headers, json } = await receiver.until(
      (request) => toSeen(request.json).state === "completed",
    );
    await client.deletePush?.(taskId, config.id);
    const left = await client.listPush?.(taskId);

    assert.equal(got.url, config.url);
    assert.equal(headers["x-a2a-notification-token"], TOKEN);
    assert.equal(toSeen(json).taskId, taskId);
    if (listed === undefined) return;
    assert.deepEqual([listed.map(({ url }) => url), left], [[config.url], []]);
  },
};

async function collect(events) {
  const collected = [];
  for await (const event of events) collected.push(event);
  return collected;
}

async function join(texts) {
  return (await collect(texts)).join("");
}
