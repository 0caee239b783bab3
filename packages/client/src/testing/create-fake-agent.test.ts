import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { encodeRecordedEvent, encodeRecordingHeader } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { ConnectionState, SessionEvent, TaskHandle } from "../index.js";
import { isProtocolError, isTransportError, SetupError } from "../index.js";
import { createFakeAgent, type FakeScript, playRecording } from "./index.js";

const workspacePath = "/work";

/** Returns a word or two for an event. */
function brief(event: SessionEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  if (event.kind === "TOOL_CALL_UPDATE") return event.toolCall.status;
  return event.kind === "STATE_CHANGE" ? event.state : event.kind;
}

async function readAll(task: Pick<TaskHandle, "events">): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of task.events()) seen.push(brief(event));
  return seen;
}

const askOnce: FakeScript = async (turn) => {
  turn.say("may I? ");
  const [answer] = await turn.ask(buildQuestion());
  if (answer?.selectedOptionId === "cancel") return undefined;
  turn.update(buildToolCall({ status: "SUCCEEDED" }));
  turn.say("done");
};

const kinds = (["sse", "websocket"] as const).flatMap((transport) =>
  (["0.3", "1.0"] as const).flatMap((version) =>
    [true, false].map((hasCursors) => ({ transport, version, hasCursors })),
  ),
);

test.each(kinds)(
  "a fake agent plays a script ($transport, A2A $version, hasCursors $hasCursors) [RFC-19, RFC-27]",
  async ({ hasCursors, ...options }) => {
    const agent = createFakeAgent({ script: askOnce, hasCursors });
    const client = await agent.connect(options);
    const task = await client.startTask({ workspacePath, prompt: "hi" });
    const seen: string[] = [];

    for await (const event of task.events()) {
      seen.push(brief(event));
      if (event.kind === "STATE_CHANGE" && event.waiting?.[0] !== undefined) {
        expect(await task.answer(event.waiting[0], "proceed_once")).toEqual({ accepted: true });
      }
    }

    expect(seen).toEqual([
      "working",
      "may I? ",
      "PENDING",
      "input-required",
      "EXECUTING",
      "SUCCEEDED",
      "done",
      "completed",
    ]);
    expect(client).toMatchObject(options);
    const { items } = task.view();
    expect(items.map(({ event }) => event.kind)).toEqual([
      "USER_PROMPT",
      "TEXT_CONTENT",
      "TOOL_CALL_UPDATE",
      "TEXT_CONTENT",
    ]);
  },
);

test.each(kinds)(
  "a client recovers from a cut network ($transport, A2A $version, hasCursors $hasCursors) [LOG-02]",
  async ({ hasCursors, ...options }) => {
    const agent = createFakeAgent({ script: askOnce, hasCursors });
    const client = await agent.connect({ ...options, reconnect: { baseMs: 1, maxMs: 5 } });
    const states: ConnectionState["status"][] = [];
    client.onConnectionChange(({ status }) => {
      states.push(status);
      if (status === "reconnecting") agent.network.goOnline();
    });
    const task = await client.startTask({ workspacePath, prompt: "hi" });
    const seen: SessionEvent[] = [];

    for await (const event of task.events()) {
      seen.push(event);
      if (event.kind !== "STATE_CHANGE" || event.waiting?.[0] === undefined) continue;
      agent.network.goOffline();
      await task.answer(event.waiting[0], "proceed_once");
    }
    const text = seen.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
    const calls = seen.flatMap((event) =>
      event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall.status] : [],
    );

    expect(text.join("")).toBe("may I? done");
    // Without cursors, a missed intermediate state is lost, but the last state never is.
    expect(calls.filter((status) => status !== "EXECUTING")).toEqual(["PENDING", "SUCCEEDED"]);
    expect(states).toContain("reconnecting");
    expect(states.at(-1)).toBe("connected");
    expect(task.view()).toMatchObject({ state: "completed", openCalls: [] });
  },
);

test("a lost race names the winner, and an unknown question throws a typed error [CLI-14]", async () => {
  const agent = createFakeAgent({ script: askOnce });
  const ide = await agent.connect({ clientName: "ide" });
  const phone = await agent.connect({ clientName: "phone" });
  const task = await ide.startTask({ workspacePath, prompt: "hi" });
  const joined = await phone.openTask(task.taskId);
  const [question] = joined.view().openCalls;

  const first = await joined.answer(question!, "cancel");
  const second = await task.answer(question!, { newContent: "mine" });
  const unknown = await task.answer({ toolCallId: "no-such" }, "cancel").catch((reason) => reason);

  expect(first).toEqual({ accepted: true });
  expect(second).toEqual({
    accepted: false,
    answeredBy: { principal: "local", name: "phone" },
    selectedOptionId: "cancel",
  });
  expect(isProtocolError(unknown) && unknown.code).toBe("confirmation-not-found");
});

test("several questions are answered in one message", async () => {
  const calls = ["a", "b"].map((toolCallId) => buildQuestion({ toolCallId }));
  const agent = createFakeAgent({
    script: async (turn) => {
      const answers = await turn.ask(...calls);
      turn.say(answers.map(({ selectedOptionId }) => selectedOptionId).join());
    },
  });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath, prompt: "hi" });

  const result = await task.answerAll([
    { toolCall: calls[0]!, answer: "proceed_once" },
    { toolCall: calls[1]!, answer: "cancel" },
  ]);
  const again = await task.answerAll([{ toolCall: calls[1]!, answer: "cancel" }]);

  expect(result).toEqual({ accepted: true });
  expect(again).toMatchObject({ accepted: false, toolCallId: "b", selectedOptionId: "cancel" });
  expect(await readAll(task)).toContain("proceed_once,cancel");
});

test("commands are listed and run, and their events are read from the start [RFC-22, RFC-23, RFC-24]", async () => {
  const commands = [{ name: "memory", description: "notes", arguments: [], subCommands: [] }];
  const agent = createFakeAgent({
    commands,
    commandScripts: {
      "memory add": async (turn) => {
        turn.say(`noted: ${turn.text}`);
      },
    },
  });
  const client = await agent.connect();

  const run = await client.run(["memory", "add"], "tabs");
  const missing = await client.run(["fly"]);

  expect(await client.commands()).toEqual(commands);
  expect(run).toMatchObject({ status: "STARTED", message: "" });
  expect(await readAll(run)).toContain("noted: tabs");
  expect(missing).toMatchObject({ status: "FAILED_TO_START", task: undefined });
  expect(missing.message).toContain("/fly");
  expect(await readAll(missing)).toEqual([]);
});

test("tasks are listed page by page and filtered", async () => {
  const agent = createFakeAgent({ script: askOnce });
  const client = await agent.connect();
  for (const prompt of ["a", "b", "c"]) await client.startTask({ workspacePath, prompt });
  const canceled = await client.startTask({ workspacePath, prompt: "d" });
  await canceled.cancel();

  const listed: string[] = [];
  for await (const { taskId } of client.listTasks({ state: "input-required", pageSize: 2 })) {
    listed.push(taskId);
  }
  const sizes: number[] = [];
  for await (const page of client.listTasks({ pageSize: 3 }).pages()) sizes.push(page.tasks.length);

  expect(listed).toHaveLength(3);
  expect(sizes).toEqual([3, 1]);
});

test("a token is fetched again if the agent refuses it", async () => {
  const agent = createFakeAgent({ token: "good" });
  const refusedFlags: boolean[] = [];
  const token = ({ wasRefused }: { wasRefused: boolean }) => {
    refusedFlags.push(wasRefused);
    return wasRefused ? "good" : "stale";
  };
  const client = await agent.connect({ token });

  const task = await client.startTask({ workspacePath, prompt: "hi" });

  expect(refusedFlags).toContain(true);
  expect(await readAll(task)).toEqual(["working", "hi", "completed"]);
});

test("startTask rejects with status 401 if the token has expired", async () => {
  const agent = createFakeAgent({ token: "good" });
  let token = "good";
  const client = await agent.connect({ token: () => token });
  token = "expired";

  const refused = await client
    .startTask({ workspacePath, prompt: "hi" })
    .catch((reason: unknown) => reason);

  expect(isTransportError(refused) && refused.status).toBe(401);
  expect(String(refused)).toContain("`token`");
});

test.each(["sse", "websocket", "auto"] as const)(
  "connect reports a token that the agent refuses, over %s [PKG-03]",
  async (transport) => {
    const agent = createFakeAgent({ token: "good" });

    const refused = await agent
      .connect({ transport, token: "bad" })
      .catch((reason: unknown) => reason);
    const client = await agent.connect({ transport, token: "good" });

    expect(refused).toBeInstanceOf(SetupError);
    expect(String(refused)).toBe(
      "SetupError: the agent answered HTTP 401; pass a valid `token` to connect()",
    );
    expect(client.transport).toBe(transport === "sse" ? "sse" : "websocket");
    const task = await client.startTask({ workspacePath, prompt: "hi" });
    expect(await readAll(task)).toEqual(["working", "hi", "completed"]);
  },
);

test("auto continues with server-sent events if sockets do not open", async () => {
  const agent = createFakeAgent({ token: "good" });
  // A socket cannot send this header, so the agent refuses the socket.
  const headers = { Authorization: "Bearer good" };

  const client = await agent.connect({ transport: "auto", headers });

  expect(client.transport).toBe("sse");
});

test("a recorded session is played again, with its question", async () => {
  const agent = createFakeAgent({ script: askOnce });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath, prompt: "hi" });
  const lines = [encodeRecordingHeader({ recordedAt: "2026-01-02T03:04:05.678Z" })];
  const recorded: string[] = [];
  for await (const event of task.events()) {
    lines.push(encodeRecordedEvent(event));
    recorded.push(brief(event));
    if (event.kind === "STATE_CHANGE" && event.waiting) {
      await task.answer(event.waiting[0]!, "proceed_once");
    }
  }
  const script = playRecording(lines.join(""));
  const player = await createFakeAgent({ script }).connect();
  const again = await player.startTask({ workspacePath, prompt: "anything" });
  const played: string[] = [];

  for await (const event of again.events()) {
    played.push(brief(event));
    if (event.kind === "STATE_CHANGE" && event.waiting) {
      await again.answer(event.waiting[0]!, "proceed_always");
    }
  }

  expect(played).toEqual(recorded);
});

test("a recorded failure is played as a failure, although the session continued after it", async () => {
  const header = { taskId: "t", contextId: "c", at: "2026-01-02T03:04:05.678Z" };
  const change = { ...header, kind: "STATE_CHANGE" as const };
  const text = [
    encodeRecordingHeader({ recordedAt: header.at }),
    encodeRecordedEvent({ ...change, state: "working" }),
    // dt records the failed turn as an idle state with an error, and the end of the program as `completed`.
    encodeRecordedEvent({ ...change, state: "input-required", error: "broken" }),
    encodeRecordedEvent({ ...change, state: "completed" }),
  ].join("");
  const client = await createFakeAgent({ script: playRecording(text) }).connect();
  const task = await client.startTask({ workspacePath, prompt: "anything" });

  const played = await readAll(task);

  expect(played).toEqual(["working", "failed"]);
  expect(task.view()).toMatchObject({ state: "failed", error: "broken" });
});

test("an option that was not offered is refused, and no question is answered", async () => {
  const calls = ["a", "b"].map((toolCallId) => buildQuestion({ toolCallId }));
  const agent = createFakeAgent({
    script: async (turn) => {
      await turn.ask(...calls);
    },
  });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath, prompt: "hi" });

  const refused = await task
    .answerAll([
      { toolCall: calls[0]!, answer: "proceed_once" },
      { toolCall: calls[1]!, answer: "zzz" },
    ])
    .catch((reason: unknown) => reason);
  const accepted = await task.answerAll(
    calls.map((toolCall) => ({ toolCall, answer: "proceed_once" })),
  );

  expect(isProtocolError(refused) && refused.code).toBe("invalid-message");
  expect(String(refused)).toContain("the tool call b has no option zzz, only proceed_once");
  expect(accepted).toEqual({ accepted: true });
});
