import type { Caller } from "@dt/schema";
import { guideDialect, type ReceivedMessage } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { digestContent } from "./content-digest.js";
import { deliverMessage } from "./deliver-message.js";
import type { Delivery, DeliveryContext } from "./delivery.js";
import { createInFlight } from "./in-flight.js";

test("a message that arrives twice at the same time is delivered once per user [LOG-05]", async () => {
  const prompted: string[] = [];
  const inFlight = createInFlight<Delivery>();
  const host = {
    log: { newDialects: new Map() },
    agent: {
      prompt: async (_: unknown, { user }: Caller) => {
        prompted.push(user);
        await new Promise(setImmediate);
        return { taskId: "t", turn: prompted.length, afterPosition: 0 };
      },
    },
  };
  const send = (user: string) => {
    const context = {
      dialect: guideDialect,
      activation: {},
      inFlight,
      createId: () => "new",
      sessions: { findReceipt: async () => undefined },
      caller: { user, name: user, role: "admin" },
      findSession: async () => ({ host, taskId: "t" }),
    } as unknown as DeliveryContext;
    const params = { message: { messageId: "same", content: { text: "hi" } } };
    return deliverMessage(guideDialect.decodeMessage(params), context);
  };

  const [first, again, others] = await Promise.all([send("ada"), send("ada"), send("bob")]);
  await send("ada");

  expect(prompted).toEqual(["ada", "bob", "ada"]);
  expect(again).toBe(first);
  expect(others).not.toBe(first);
});

/** Creates a shared session whose agent records its requests. */
function openShared({ receipt = undefined as object | undefined, live = "c", after = "" } = {}) {
  const asked: unknown[] = [];
  const ticket = { taskId: "t", turn: 4, afterPosition: 9 };
  const locate = async (cursor: string) => Number(cursor);
  const host = {
    session: { contextId: live },
    log: { contextId: live, locate, read: async () => [], newDialects: new Map() },
    agent: {
      async prompt(...request: unknown[]) {
        asked.push(["prompt", ...request]);
        return ticket;
      },
      async answer(...request: unknown[]) {
        asked.push(["answer", ...request]);
        return [{ accepted: true, ticket }];
      },
    },
  };
  const caller: Caller = { user: "ada", name: "Ada", role: "admin" };
  const context = {
    dialect: guideDialect,
    activation: {},
    inFlight: createInFlight<Delivery>(),
    createId: () => "made here",
    shared: async () => ({ host, taskId: "t" }),
    sessions: {
      async findReceipt(...key: unknown[]) {
        asked.push(key);
        return receipt;
      },
      findTask: async (taskId: string) => ({ taskId, contextId: live }),
    },
    caller,
    findSession: async (type: string) => {
      asked.push(["find", type]);
      return { host, taskId: "t" };
    },
    ...(after !== "" && { after }),
  } as unknown as DeliveryContext;
  const send = async (params: unknown) =>
    await deliverMessage(guideDialect.decodeMessage(params), context);
  return { asked, host, caller, send };
}

const parts = [{ type: "text", text: "hi" }] as const;
const digest = digestContent({ type: "prompt", parts });

test("a prompt starts a turn with its message id, or with a new id if it has none", async () => {
  const { asked, host, caller, send } = openShared();

  const own = await send({ message: { messageId: "m", taskId: "t", content: { text: "hi" } } });
  await send({ message: { content: { text: "hi" } } });

  const ticket = { taskId: "t", turn: 4, afterPosition: 9 };
  const delivery = { type: "turn", host, isNewTask: false, isSteering: false, digest, ...ticket };
  expect(own).toEqual({ ...delivery, messageId: "m" });
  expect(asked).toEqual([
    [caller, "m"],
    ["find", "prompt"],
    ["prompt", { messageId: "m", taskId: "t", parts, digest }, caller],
    [caller, "made here"],
    ["find", "prompt"],
    ["prompt", { messageId: "made here", taskId: "t", parts, digest }, caller],
  ]);
});

test("a message that names another task or has an invalid id is refused", async () => {
  const { asked, send } = openShared();

  await expect(
    send({ message: { taskId: "other", content: { text: "hi" } } }),
  ).rejects.toMatchObject({ code: "task-not-found", message: "there is no task other" });
  await expect(send({ message: { messageId: "a\nb", content: { text: "hi" } } })).rejects.toThrow(
    "message.messageId",
  );
  expect(asked).toHaveLength(2);
});

test("a re-sent message joins its turn at the position of the client's cursor [LOG-05]", async () => {
  const receipt = { contextId: "c", taskId: "t", turn: 2, afterPosition: 5, messageId: "m" };
  const params = { message: { messageId: "m", content: { text: "hi" } } };
  const repeated = openShared({ receipt });
  const resumed = openShared({ receipt, after: "7" });
  const elsewhere = openShared({ receipt, live: "another" });

  const known = { taskId: "t", messageId: "m", turn: 2, afterPosition: 5 };
  const delivery = { type: "turn", isSteering: false, digest, ...known };
  expect(await repeated.send(params)).toEqual({
    ...delivery,
    host: repeated.host,
    isNewTask: false,
    isRepeated: true,
  });
  expect(await resumed.send(params)).toEqual({
    ...delivery,
    host: resumed.host,
    reachedPosition: 7,
    isNewTask: false,
    isRepeated: true,
  });
  expect(await elsewhere.send(params)).toMatchObject({ turn: 4 });
});

test("an answer in the shared session is passed to the agent without a task id", async () => {
  const { asked, host, caller, send } = openShared();
  const data = { tool_call_id: "call", selected_option_id: "cancel" };

  const delivery = await send({ message: { messageId: "m", content: { data } } });

  const confirmation = expect.objectContaining({ toolCallId: "call", selectedOptionId: "cancel" });
  expect(asked.slice(1)).toEqual([
    ["find", "confirmation"],
    ["answer", { answers: [confirmation], messageId: "m", digest: expect.any(String) }, caller],
  ]);
  expect(delivery).toMatchObject({ type: "turn", host, messageId: "m", turn: 4, isNewTask: false });
});

test("a message is refused while a message with the same id and other content is delivered [LOG-05]", async () => {
  const { send } = openShared();
  const say = (text: string) => send({ message: { messageId: "m", content: { text } } });

  const outcomes = await Promise.allSettled([say("hi"), say("ho"), say("hi")]);

  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "invalid-message" } },
    { status: "fulfilled" },
  ]);
});

test("a message in the guide dialect is refused if no session is shared", async () => {
  const context = {
    dialect: guideDialect,
    activation: {},
    inFlight: createInFlight<Delivery>(),
    createId: () => "made here",
    sessions: { findReceipt: async () => undefined },
    caller: { user: "ada", name: "Ada", role: "admin" },
  } as unknown as DeliveryContext;
  const message = guideDialect.decodeMessage({ message: { content: { text: "hi" } } });

  await expect(deliverMessage(message, context)).rejects.toMatchObject({
    code: "unsupported-operation",
    message: "no session is shared here",
  });
});

test("in a dialect with one task, a re-sent answer to a command's question is not delivered again", async () => {
  const receipt = { contextId: "c", taskId: "command", turn: 2, afterPosition: 5, messageId: "m" };
  const { send, host } = openShared({ receipt });

  const named = await send({ message: { messageId: "m", taskId: "t", content: { text: "hi" } } });

  expect(named).toMatchObject({ type: "turn", host, taskId: "command", turn: 2, isRepeated: true });
});

test("a message that needs a higher role than its sender has is refused before anything else [SEC-10]", async () => {
  const sent: unknown[] = [];
  const context = (role: string) =>
    ({
      caller: { user: "ada", name: "Ada", role },
      inFlight: { share: async () => sent.push(role) },
    }) as unknown as DeliveryContext;
  const prompt = { content: { type: "prompt", parts } } as unknown as ReceivedMessage;
  const automatic = {
    content: { type: "prompt", parts, settings: { autoExecute: true } },
  } as unknown as ReceivedMessage;
  const answer = {
    content: { type: "confirmation", confirmations: [] },
  } as unknown as ReceivedMessage;
  const refused = (requiredRole: string) => ({ code: "forbidden", data: { requiredRole } });

  await expect(deliverMessage(prompt, context("observe"))).rejects.toMatchObject(refused("prompt"));
  await expect(deliverMessage(answer, context("prompt"))).rejects.toMatchObject(refused("approve"));
  await expect(deliverMessage(automatic, context("prompt"))).rejects.toMatchObject(
    refused("approve"),
  );
  expect(sent).toEqual([]);
});
