import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { createScriptedAgent, type TurnScript } from "@dt/server/testing";
import { describe, expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { isSigned, openPushReceiver, type Received } from "./support/push-receiver.js";
import { post, readStream } from "./support/raw-rpc.js";
import { jsonOf } from "./ws-client.js";

const CALLS = 12;
const SECRET = "only the receiver knows";

/** Emits twelve tool calls, each with a text before it. */
const busy: TurnScript = async (turn) => {
  for (let index = 0; index < CALLS; index += 1) {
    const toolCall = buildToolCall({ toolCallId: `call-${index}` });
    await turn.say(`step ${index}`);
    await turn.emit({ kind: "TOOL_CALL_UPDATE", toolCall: { ...toolCall, status: "EXECUTING" } });
    await turn.emit({ kind: "TOOL_CALL_UPDATE", toolCall: { ...toolCall, status: "SUCCEEDED" } });
  }
};

/** Summaries of the deliveries of `busy`, in order. */
const expected = [
  "working",
  ...Array.from({ length: CALLS }, (_, index) => `call-${index}`),
  "completed",
];

function openPushStage(script: TurnScript = busy, push: object = {}) {
  return openStage({
    server: {
      openAgent: createScriptedAgent(script),
      push: {
        allowList: ["127.0.0.1"],
        timeoutMs: 3_000,
        retry: { baseMs: 5, maxMs: 40, maxFailures: 50 },
        ...push,
      },
    },
  });
}

/** Method names and JSON of each A2A version. */
const versions = {
  "0.3": {
    send: "message/send",
    set: "tasks/pushNotificationConfig/set",
    get: "tasks/pushNotificationConfig/get",
    delete: "tasks/pushNotificationConfig/delete",
    message: (text: string) => ({ kind: "message", role: "user", parts: [{ kind: "text", text }] }),
    configuration: (url: string, metadata?: object) => ({
      blocking: false,
      pushNotificationConfig: {
        url,
        token: "mine",
        authentication: { schemes: ["HMAC"], credentials: SECRET },
        metadata,
      },
    }),
    // biome-ignore lint/suspicious/noExplicitAny: the shapes of two protocol versions.
    status: (json: any) => json.status,
    address: (taskId: string) => ({ id: taskId, pushNotificationConfigId: taskId }),
  },
  "1.0": {
    send: "SendMessage",
    set: "CreateTaskPushNotificationConfig",
    get: "GetTaskPushNotificationConfig",
    delete: "DeleteTaskPushNotificationConfig",
    message: (text: string) => ({ role: "ROLE_USER", parts: [{ text }] }),
    configuration: (url: string, metadata?: object) => ({
      returnImmediately: true,
      taskPushNotificationConfig: {
        url,
        token: "mine",
        authentication: { scheme: "HMAC", credentials: SECRET },
        metadata,
      },
    }),
    // biome-ignore lint/suspicious/noExplicitAny: the shapes of two protocol versions.
    status: (json: any) => (json.statusUpdate ?? json.task).status,
    address: (taskId: string) => ({ taskId, id: taskId }),
  },
} as const;

type Version = keyof typeof versions;
type Stage = Awaited<ReturnType<typeof openPushStage>>;

const extensions = { "A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}` };

/** Sends a prompt with a push config and does not wait for the turn. */
async function promptWithPush(
  { url, workspace }: Stage,
  version: Version,
  configured: { readonly to: string; readonly metadata?: object; readonly text?: string },
) {
  const { send, message, configuration } = versions[version];
  const params = {
    message: {
      ...message(configured.text ?? "go"),
      messageId: randomUUID(),
      metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspace.root } },
    },
    configuration: configuration(configured.to, configured.metadata),
  };
  const { result } = await jsonOf(await post(url, send, params, extensions));
  const task = result.task ?? result;
  return { taskId: task.id as string, contextId: task.contextId as string };
}

/** Summarises a delivery as the id of its tool call, or as its state if it has no call. */
function summaryOf(version: Version) {
  return ({ json }: Received): string => {
    const { state, message } = versions[version].status(json);
    const call = message?.parts?.[0]?.data?.tool_call_id;
    return call ?? state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
  };
}

for (const version of ["0.3", "1.0"] as const) {
  describe(`push deliveries over A2A ${version}`, () => {
    test("a receiver gets state changes and finished calls once, in order and signed [RFC-03]", async () => {
      await using receiver = await openPushReceiver();
      await using stage = await openPushStage();

      const { taskId, contextId } = await promptWithPush(stage, version, { to: receiver.url });
      await receiver.until(() => receiver.received.length === expected.length);

      const { received } = receiver;
      expect(received.map(summaryOf(version))).toEqual(expected);
      expect(received.every((request) => isSigned(request, SECRET))).toBe(true);
      expect(received.every(({ attempt }) => attempt === 1)).toBe(true);
      expect(new Set(received.map(({ delivery }) => delivery)).size).toBe(expected.length);
      expect(received[0]?.headers).toMatchObject({
        "content-type": version === "0.3" ? "application/json" : "application/a2a+json",
        "a2a-version": version,
        "x-a2a-notification-token": "mine",
      });
      expect(received[0]?.headers).not.toHaveProperty("authorization");
      const last = received.at(-1)?.json;
      const { id, taskId: ofUpdate, contextId: context, metadata } = last.statusUpdate ?? last;
      expect([id ?? ofUpdate, context]).toEqual([taskId, contextId]);
      expect(metadata[SESSION_URI].cursor).toBe(received.at(-1)?.cursor);
      expect(stage.faults).toEqual([]);
    });

    test("a failing receiver gets every event in order and can recognise repeats [RFC-03]", async () => {
      await using receiver = await openPushReceiver();
      await using stage = await openPushStage();
      receiver.answerWith(
        ...["500", "reset", "hang", "half-head", "slow", "404", "302 /elsewhere", "nonsense"],
        ...["half-body", "ok", "503", "401", "307 http://127.0.0.1:1/", "hang", "close", "429 0"],
        ...["500", "500", "500", "reset", "reset", "exit"],
      );

      await promptWithPush(stage, version, { to: receiver.url });
      await receiver.until(() => receiver.received.some(({ behaviour }) => behaviour === "exit"));
      await receiver.start();
      receiver.answerWith("500", "ok", "half-head", "exit");
      await receiver.until(
        () => receiver.received.filter(({ behaviour }) => behaviour === "exit").length === 2,
      );
      await receiver.start();
      await receiver.until(() => receiver.accepted().length === expected.length);

      const { received } = receiver;
      expect(receiver.accepted().map(summaryOf(version))).toEqual(expected);
      expect(received.every((request) => isSigned(request, SECRET))).toBe(true);
      expect(new Set(received.map(({ url }) => url))).toEqual(new Set(["/hook"]));
      for (const delivery of new Set(received.map((request) => request.delivery))) {
        const same = received.filter((request) => request.delivery === delivery);
        const attempts = same.map(({ attempt }) => attempt);
        expect(attempts).toEqual([...new Set(attempts)].sort((left, right) => left - right));
        expect(new Set(same.map(({ body }) => body)).size).toBe(1);
        expect(new Set(same.map(({ cursor }) => cursor)).size).toBe(1);
      }
      const cursors = received.map(({ cursor }) => Number.parseInt(cursor, 10));
      expect(cursors).toEqual([...cursors].sort((left, right) => left - right));
      expect(stage.faults).toEqual([]);
    });

    test("a client can subscribe after the cursor of a delivery [RFC-03, LOG-02]", async () => {
      await using receiver = await openPushReceiver();
      await using stage = await openPushStage();

      const { taskId } = await promptWithPush(stage, version, { to: receiver.url });
      await receiver.until(() => receiver.received.length === expected.length);
      const fourth = receiver.received[3]?.cursor ?? "";
      const subscribe = version === "0.3" ? "tasks/resubscribe" : "SubscribeToTask";
      const headers = { ...extensions, "Last-Event-ID": fourth };
      const stream = await readStream(await post(stage.url, subscribe, { id: taskId }, headers));

      const ids = stream.flatMap(({ id }) => (id === undefined ? [] : [id]));
      const rest = receiver.received.slice(4).map(({ cursor }) => cursor);
      expect(ids.filter((id) => rest.includes(id))).toEqual(rest);
      expect(ids).not.toContain(fourth);
      expect(Number.parseInt(ids[0] ?? "", 10)).toBe(Number.parseInt(fourth, 10) + 1);
    });

    test("a push config with all_events also gets text and started calls", async () => {
      await using receiver = await openPushReceiver();
      await using stage = await openPushStage();

      const metadata = { [SESSION_URI]: { all_events: true } };
      await promptWithPush(stage, version, { to: receiver.url, metadata });
      // The deliveries are the prompt, two state changes, and three events per call.
      await receiver.until(() => receiver.received.length === 3 + 3 * CALLS);

      const positions = receiver.received.map(({ cursor }) => Number.parseInt(cursor, 10));
      expect(positions).toEqual(positions.map((_, index) => index + 1));
      expect(receiver.received[2]?.body).toContain("step 0");
    });

    test("a deleted push config is no longer called", async () => {
      const { hold, release } = createGate();
      await using receiver = await openPushReceiver();
      await using stage = await openPushStage(async (turn) => {
        await hold;
        await busy(turn);
      });
      const { taskId } = await promptWithPush(stage, version, { to: receiver.url });
      await receiver.until(() => receiver.received.length === 1);
      const { set, delete: remove, address, configuration } = versions[version];
      const other = `${receiver.url}-other`;
      const config = Object.values(configuration(other)).at(-1) as object;
      const named = { ...config, id: "other" };
      const params =
        version === "0.3" ? { taskId, pushNotificationConfig: named } : { taskId, ...named };

      await jsonOf(await post(stage.url, set, params, extensions));
      const deleted = await jsonOf(await post(stage.url, remove, address(taskId)));
      const again = await jsonOf(await post(stage.url, remove, address(taskId)));
      release();
      await receiver.until(() =>
        receiver.received.some(({ url, json }) => {
          return url === "/hook-other" && summaryOf(version)({ json } as Received) === "completed";
        }),
      );

      expect([deleted.result, again.result]).toEqual([null, null]);
      expect(receiver.received.filter(({ url }) => url === "/hook")).toHaveLength(1);
    });
  });
}

test("a push config that is set during an open question gets the task with the question at once [RFC-03]", async () => {
  const question = buildQuestion();
  await using receiver = await openPushReceiver();
  await using stage = await openPushStage(async (turn) => {
    await turn.ask(question);
  });
  const { send, message } = versions["1.0"];
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } };
  const prompt = { ...message("go"), messageId: randomUUID(), metadata };
  const sent = await jsonOf(await post(stage.url, send, { message: prompt }, extensions));
  const { id: taskId, contextId } = sent.result.task;

  const config = { taskId, id: "late", url: receiver.url };
  await post(stage.url, "CreateTaskPushNotificationConfig", config, extensions);
  await receiver.until(() => receiver.received.length === 1);
  const answer = {
    role: "ROLE_USER",
    messageId: randomUUID(),
    taskId,
    contextId,
    parts: [{ data: { tool_call_id: question.toolCallId, selected_option_id: "proceed_once" } }],
  };
  await post(stage.url, send, { message: answer }, extensions);
  await receiver.until(() => receiver.received.length === 2);

  const [first, second] = receiver.received;
  expect(first?.json.task).toMatchObject({
    id: taskId,
    status: {
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { parts: [{ data: { tool_call_id: question.toolCallId } }] },
    },
  });
  expect(summaryOf("1.0")(second as Received)).toBe("completed");
});

test("a push config that is set after the end of a task gets the completed task [RFC-03]", async () => {
  await using receiver = await openPushReceiver();
  await using stage = await openPushStage();
  const { send, message } = versions["0.3"];
  const prompt = { ...message("go"), messageId: randomUUID() };
  const sent = await jsonOf(await post(stage.url, send, { message: prompt }));
  const taskId = sent.result.id;

  const pushNotificationConfig = { url: receiver.url };
  await post(stage.url, "tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig });
  await receiver.until(() => receiver.received.length === 1);

  expect(receiver.received[0]?.json).toMatchObject({
    kind: "task",
    id: taskId,
    status: { state: "completed" },
    artifacts: [{ parts: [{ kind: "text", text: expect.stringMatching(`step ${CALLS - 1}$`) }] }],
  });
  expect(receiver.received[0]?.headers).not.toHaveProperty("x-dt-signature");
});

test("a push config that is deleted and set again gets a new delivery, not a repeat", async () => {
  await using receiver = await openPushReceiver();
  await using stage = await openPushStage(async () => {});
  const { taskId } = await promptWithPush(stage, "1.0", { to: receiver.url });
  await receiver.until(() => receiver.received.map(summaryOf("1.0")).includes("completed"));
  const before = receiver.received.length;
  const config = { taskId, id: "again", url: receiver.url };
  const call = (method: string) => post(stage.url, method, config, extensions);

  await call("CreateTaskPushNotificationConfig");
  await receiver.until(() => receiver.received.length === before + 1);
  await call("CreateTaskPushNotificationConfig");
  await call("DeleteTaskPushNotificationConfig");
  await call("CreateTaskPushNotificationConfig");
  await receiver.until(() => receiver.received.length === before + 2);

  const late = receiver.received.slice(before);
  expect(late.map(({ attempt }) => attempt)).toEqual([1, 1]);
  expect(new Set(late.map(({ delivery }) => delivery)).size).toBe(2);
});

test("if a push config is set again during a delivery, the delivery is repeated with the same id", async () => {
  await using receiver = await openPushReceiver();
  receiver.answerWith("hang");
  await using stage = await openPushStage(async () => {}, { timeoutMs: 60_000 });
  const { taskId } = await promptWithPush(stage, "1.0", { to: receiver.url });
  await receiver.until(() => receiver.received.length === 1);

  const config = { taskId, id: taskId, url: `${receiver.url}?2` };
  await post(stage.url, "CreateTaskPushNotificationConfig", config, extensions);
  await receiver.until(() => receiver.received.length >= 2);

  const [first, repeated] = receiver.received;
  expect(repeated).toMatchObject({ attempt: 2, delivery: first?.delivery, url: "/hook?2" });
});

test("a receiver that never answers does not delay other receivers", async () => {
  await using dead = await openPushReceiver();
  await using alive = await openPushReceiver();
  dead.answerWith(...Array.from({ length: 50 }, () => "hang"));
  const limits = { maxCallsPerOrigin: 4 };
  await using stage = await openPushStage(busy, { timeoutMs: 20_000, limits });

  for (let index = 0; index < 12; index += 1) {
    await promptWithPush(stage, "1.0", { to: dead.url });
  }
  await promptWithPush(stage, "1.0", { to: alive.url });
  await alive.until(() => alive.received.length === expected.length);

  expect(alive.received.map(summaryOf("1.0"))).toEqual(expected);
  // The dead receiver gets at most four requests at once. If they time out, the receiver counts as failing,
  // and then gets only two requests at once.
  expect(dead.received.length).toBeLessThanOrEqual(6);
});

test("receivers that hang do not delay other receivers, even if more than maxCalls receivers hang", async () => {
  await using hanging = await openPushReceiver();
  await using alive = await openPushReceiver();
  hanging.answerWith(...Array.from({ length: 6 }, () => "hang"));
  const limits = { maxCalls: 4, maxCallsPerOrigin: 4, slowMs: 100 };
  await using stage = await openPushStage(busy, { timeoutMs: 60_000, limits });

  for (let index = 0; index < 6; index += 1) {
    await promptWithPush(stage, "1.0", { to: hanging.url.replace("hook", `hang/${index}`) });
  }
  await hanging.until(() => hanging.received.length === 6);
  await promptWithPush(stage, "1.0", { to: hanging.url });
  await promptWithPush(stage, "1.0", { to: alive.url });
  const neighbours = () => hanging.received.filter(({ url }) => url.startsWith("/hook"));
  await hanging.until(() => neighbours().length === expected.length);
  await alive.until(() => alive.received.length === expected.length);

  expect(neighbours().map(summaryOf("1.0"))).toEqual(expected);
  expect(alive.received.map(summaryOf("1.0"))).toEqual(expected);
});

test("a failing push config does not delay another push config of the same task", async () => {
  await using slow = await openPushReceiver();
  await using quick = await openPushReceiver();
  slow.answerWith("500", "slow", "hang", "slow");
  await using stage = await openPushStage();
  const { taskId } = await promptWithPush(stage, "1.0", { to: slow.url });

  const config = { taskId, id: "quick", url: quick.url };
  await post(stage.url, "CreateTaskPushNotificationConfig", config, extensions);
  await quick.until(() => quick.received.map(summaryOf("1.0")).includes("completed"));
  await slow.until(() => slow.accepted().length === expected.length);

  expect(slow.accepted().map(summaryOf("1.0"))).toEqual(expected);
});

test("delivery stops after three failures and resumes when the config is set again [RFC-03]", async () => {
  await using receiver = await openPushReceiver();
  receiver.answerWith(...Array.from({ length: 3 }, () => "500"));
  await using stage = await openPushStage(busy, { retry: { baseMs: 1, maxMs: 2, maxFailures: 3 } });
  const { taskId } = await promptWithPush(stage, "1.0", { to: receiver.url });
  await receiver.until(() => receiver.received.length === 3);
  const { get, set, address, configuration } = versions["1.0"];
  const read = async () => {
    const { result } = await jsonOf(await post(stage.url, get, address(taskId), extensions));
    return result.metadata[SESSION_URI];
  };

  let given = await read();
  while (given.state !== "GAVE_UP") given = await read();
  const { taskPushNotificationConfig } = configuration(receiver.url);
  await post(stage.url, set, { ...taskPushNotificationConfig, taskId, id: taskId }, extensions);
  await receiver.until(() => receiver.accepted().length === expected.length);

  expect(given).toMatchObject({
    state: "GAVE_UP",
    failures: 3,
    last_error: "the receiver answered 500",
  });
  expect(receiver.accepted().map(summaryOf("1.0"))).toEqual(expected);
  expect(receiver.accepted()[0]?.attempt).toBe(4);
  let after = await read();
  while (after.cursor !== receiver.received.at(-1)?.cursor) after = await read();
  expect(after.state).toBe("DELIVERING");
});

test("a receiver that answers 410 is not called again", async () => {
  await using receiver = await openPushReceiver();
  receiver.answerWith("410");
  await using stage = await openPushStage();
  const { taskId } = await promptWithPush(stage, "1.0", { to: receiver.url });
  const { get, address } = versions["1.0"];

  let state = "";
  while (state !== "GAVE_UP") {
    const { result } = await jsonOf(await post(stage.url, get, address(taskId), extensions));
    state = result.metadata[SESSION_URI].state;
  }

  expect(receiver.received).toHaveLength(1);
});

test("a receiver gets the events of a session that was evicted from memory", async () => {
  const { hold: closed, release: onClosed } = createGate();
  await using receiver = await openPushReceiver();
  receiver.answerWith("500");
  const openAgent = createScriptedAgent(busy);
  await using stage = await openStage({
    server: {
      push: { allowList: ["127.0.0.1"], retry: { baseMs: 1_500, maxMs: 1_500 } },
      limits: { sessionIdleMs: 0 },
      sweepMs: 10,
      async openAgent(options) {
        const agent = await openAgent(options);
        return {
          ...agent,
          async close() {
            await agent.close();
            onClosed();
          },
        };
      },
    },
  });

  await promptWithPush(stage, "1.0", { to: receiver.url });
  await closed;
  const before = receiver.accepted().length;
  await receiver.until(() => receiver.accepted().length === expected.length);

  expect(before).toBe(0);
  expect(receiver.accepted().map(summaryOf("1.0"))).toEqual(expected);
});

test("a server can stop while a delivery waits for the answer of its receiver", async () => {
  await using receiver = await openPushReceiver();
  receiver.answerWith("hang");
  await using stage = await openPushStage(busy, { timeoutMs: 600_000 });
  await promptWithPush(stage, "1.0", { to: receiver.url });
  await receiver.until(() => receiver.received.length === 1);

  await stage.server.close();

  expect(receiver.received).toHaveLength(1);
  expect(stage.faults).toEqual([]);
});

function createGate() {
  let release = () => {};
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { hold, release };
}
