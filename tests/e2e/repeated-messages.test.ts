import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { post, readStream } from "./support/raw-rpc.js";
import { jsonOf } from "./ws-client.js";

const message = (text: string, ids: object = {}) => ({
  message: {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts: [{ kind: "text", text }],
    ...ids,
  },
});

const inWorkspace = (root: string) => ({
  metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: root } },
});

test("a message re-sent with any cursor gets exactly the events after that cursor [LOG-05]", async () => {
  const openAgent = createScriptedAgent(async (turn) => {
    for (const piece of ["one ", "two ", "three"]) await turn.say(piece);
  });
  await using server = await openTestServer({ openAgent });
  const params = message("count");
  const first = await readStream(await post(server.url, "message/stream", params));
  const cursors = first.slice(0, -1).flatMap(({ id }) => id ?? []);

  const resumed = await Promise.all(
    cursors.map(async (id) => {
      const again = await post(server.url, "message/stream", params, { "Last-Event-ID": id });
      return await readStream(again);
    }),
  );

  const seen = (id: string) => first.findIndex((event) => event.id === id) + 1;
  expect(cursors).toHaveLength(5);
  expect(resumed).toEqual(cursors.map((id) => first.slice(seen(id))));
});

test("the stream of a re-sent message ends at its question although a prompt is queued [LOG-05]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const params = message("write a.txt: x", inWorkspace(workspace.root));
  const asked = await readStream(await post(url, "message/stream", params));
  const { taskId } = asked.at(-1)?.json.result ?? {};
  const behind = message("say next", { taskId, ...inWorkspace(workspace.root) });
  const queued = await jsonOf(
    await post(url, "message/send", { ...behind, configuration: { blocking: false } }),
  );

  const again = await post(url, "message/stream", params, {
    "Last-Event-ID": asked.at(-1)?.id ?? "",
  });

  expect(queued.result.status.state).toBe("input-required");
  expect(await readStream(again)).toEqual([]);
});

test("a re-sent message gets its task in the latest state [LOG-05]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const params = message("say one", inWorkspace(workspace.root));
  const first = await jsonOf(await post(url, "message/send", params));
  const { id: taskId } = first.result;
  await post(url, "message/send", message("say two", { taskId, ...inWorkspace(workspace.root) }));

  const again = await jsonOf(await post(url, "message/send", params));
  const active = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
  const now = await jsonOf(await post(url, "tasks/get", { id: taskId }, active));

  const { metadata: _, ...latest } = now.result;
  expect(JSON.stringify(latest.history)).toContain("two");
  expect(again.result).toMatchObject(latest);
});

test("a message with a used id but another text or context is refused [LOG-05]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const params = message("say one", { messageId: "m-1", ...inWorkspace(workspace.root) });
  await jsonOf(await post(url, "message/send", params));
  const other = (text: string, ids: object = {}) =>
    message(text, { messageId: "m-1", ...inWorkspace(workspace.root), ...ids });

  const otherText = await jsonOf(await post(url, "message/send", other("say two")));
  const otherContext = await jsonOf(
    await post(url, "message/send", other("say one", { contextId: "elsewhere" })),
  );

  const refusal = {
    code: -32602,
    message: expect.stringContaining("m-1 is the id of another message"),
  };
  expect(otherText.error).toMatchObject(refusal);
  expect(otherContext.error).toMatchObject(refusal);
});

test("a message with a used id but other parts or settings is refused [LOG-05]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const part = (kind: string) => ({ kind: "data", data: { kind } });
  const send = async (parts: readonly object[], settings: object = {}) => {
    const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspace.root, ...settings } };
    const given = message("say one", { messageId: "m-1", metadata });
    const whole = { message: { ...given.message, parts: [...given.message.parts, ...parts] } };
    return await jsonOf(await post(url, "message/send", whole));
  };
  const first = await send([part("a")]);

  const again = await send([part("a")]);
  const refused = [
    await send([part("b")]),
    await send([]),
    await send([part("a")], { auto_execute: true }),
  ];

  expect(again.result.id).toBe(first.result.id);
  expect(refused.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602]);
});

test("a message with other content is refused if two equal messages with the same id arrive first [LOG-05]", async () => {
  await using server = await openTestServer();
  const send = async (text: string) =>
    await jsonOf(await post(server.url, "message/send", message(text, { messageId: "m-1" })));

  const [one, same, other] = await Promise.all([send("hi"), send("hi"), send("ho")]);

  expect(same.result.id).toBe(one.result.id);
  expect(other.error).toMatchObject({ code: -32602 });
});

test("two users can send the same message id at once, and each gets a task [LOG-05]", async () => {
  const opened: (() => void)[] = [];
  const bothOpened = new Promise<void>((resolve) => {
    opened.push(() => {}, resolve);
  });
  const openFake = createScriptedAgent(async (turn) => {
    await turn.say(`for ${turn.text}`);
  });
  await using server = await openTestServer({
    openAgent: async (options) => {
      opened.shift()?.();
      // Delays the first message until the second one arrives. `settle` ends the wait if no second one
      // arrives.
      await Promise.race([bothOpened, settle()]);
      return await openFake(options);
    },
  });
  const send = async (principal: string) =>
    await jsonOf(
      await post(server.url, "message/send", message(principal, { messageId: "same" }), {
        "x-test-user": principal,
      }),
    );

  const [ada, bob] = await Promise.all([send("ada"), send("bob")]);

  expect(ada.result.id).not.toBe(bob.result.id);
  expect(JSON.stringify(ada.result)).toContain("for ada");
  expect(JSON.stringify(bob.result)).toContain("for bob");
});

/** Waits a while, so that pending requests can arrive. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
}
