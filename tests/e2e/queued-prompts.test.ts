import { EventEmitter, once } from "node:events";
import path from "node:path";
import { createModelEngine, createSession, fileTools, openWorkspace } from "@dt/agent-core";
import { DEVELOPMENT_TOOL_URI, type LedgerEntry, type OpenAgent } from "@dt/schema";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { createHeldModel } from "./support/held-model.js";
import { openStage } from "./support/open-stage.js";
import { parseEvents, post, readStream } from "./support/raw-rpc.js";

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Both A2A versions, each with its method names and spellings. */
const versions = [
  {
    version: "1.0",
    extended: { "A2A-Version": "1.0", "A2A-Extensions": DEVELOPMENT_TOOL_URI },
    plain: { "A2A-Version": "1.0" },
    methods: {
      send: "SendMessage",
      stream: "SendStreamingMessage",
      get: "GetTask",
      list: "ListTasks",
      cancel: "CancelTask",
      subscribe: "SubscribeToTask",
    },
    user: { role: "ROLE_USER" },
    textPart: (text: string) => ({ text }),
    atOnce: { returnImmediately: true },
    state: (name: string) => `TASK_STATE_${name.toUpperCase().replace("-", "_")}`,
  },
  {
    version: "0.3",
    extended: { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI },
    plain: {},
    methods: {
      send: "message/send",
      stream: "message/stream",
      get: "tasks/get",
      list: "tasks/list",
      cancel: "tasks/cancel",
      subscribe: "tasks/resubscribe",
    },
    user: { kind: "message", role: "user" },
    textPart: (text: string) => ({ kind: "text", text }),
    atOnce: { blocking: false },
    state: (name: string) => name,
  },
] as const;
type Version = (typeof versions)[number];

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
async function jsonOf(response: Response): Promise<any> {
  return await response.json();
}

/** Creates a raw client of one A2A version. A plain client activates no extension. */
function createClient({ url, workspace }: Stage, version: Version, isPlain = false) {
  const { methods, user, textPart, atOnce } = version;
  const headers = isPlain ? version.plain : version.extended;
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspace.root } };
  const params = (text: string, target: object = {}, configuration?: object) => ({
    message: {
      ...user,
      messageId: text,
      parts: [textPart(text)],
      ...(!isPlain && Object.keys(target).length === 0 && { metadata }),
      ...target,
    },
    ...(configuration && { configuration }),
  });
  const call = async (method: keyof Version["methods"], sent: unknown) => {
    const { result, error } = await jsonOf(await post(url, methods[method], sent, headers));
    return result?.task ?? result ?? error;
  };
  return {
    call,
    send: (text: string, target?: object) => call("send", params(text, target)),
    sendAtOnce: (text: string, target?: object) => call("send", params(text, target, atOnce)),
    stream: (text: string, target?: object) =>
      post(url, methods.stream, params(text, target), headers),
    subscribe: (id: string, after?: string) =>
      post(
        url,
        methods.subscribe,
        { id },
        { ...headers, ...(after && { "Last-Event-ID": after }) },
      ),
  };
}

/** Reduces each update of a stream to its event id, state, text and `final` flag. */
function updatesIn(events: ReturnType<typeof parseEvents>) {
  return events.flatMap(({ id, json }) => {
    const update = json.result.statusUpdate ?? json.result;
    if (update.status === undefined || update.id !== undefined || json.result.task) return [];
    const final = update.final === undefined ? [] : [update.final];
    return [[id, update.status.state, update.status.message?.parts[0]?.text ?? "", ...final]];
  });
}

/** Reads a stream up to its first event. `toEnd` reads the rest and returns all events with the first. */
async function openReader(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function more(): Promise<boolean> {
    const { value, done } = await reader.read();
    text += value ?? "";
    return !done;
  }
  while (!text.includes("data:") && (await more()));
  return {
    first: parseEvents(text)[0],
    async toEnd() {
      while (await more());
      return parseEvents(text);
    },
  };
}

for (const version of versions) {
  const named = `over A2A ${version.version}`;
  const { state } = version;

  test(`a message to a working task starts its next turn, and subscribers get both turns, ${named} [SRV-07]`, async () => {
    const model = createHeldModel();
    await using stage = await openStage({ model });
    const client = createClient(stage, version);
    const sender = await openReader(await client.stream("first"));
    const { result } = sender.first!.json;
    const { id, contextId } = result.task ?? result;
    await model.called(1);
    const watcher = await openReader(await client.subscribe(id));

    await client.sendAtOnce("second", { taskId: id, contextId });
    model.release();
    const [sent, live] = await Promise.all([sender.toEnd(), watcher.toEnd()]);
    const after = live[0]?.id;
    const late = await readStream(await client.subscribe(id, after));
    const task = await client.call("get", { id });

    const states = updatesIn(live).map(([, each]) => each);
    expect(states).toEqual([
      state("working"),
      state("input-required"),
      ...[1, 2, 3].map(() => state("working")),
      state("completed"),
    ]);
    expect(updatesIn(late)).toEqual(updatesIn(live));
    expect(updatesIn(sent).at(-1)?.slice(1)).toEqual(
      version.version === "0.3"
        ? [state("input-required"), "", true]
        : [state("input-required"), ""],
    );
    expect(task.status.state).toBe(state("completed"));
    expect(stage.faults).toEqual([]);
  });

  test(`a blocking request returns at the end of its own turn, ${named}`, async () => {
    const model = createHeldModel();
    await using stage = await openStage({ model });
    const client = createClient(stage, version, true);
    const contextId = `context-${version.version}`;
    const first = client.send("first", { contextId });
    await model.called(1);
    const { tasks } = await createClient(stage, versions[0]).call("list", { contextId });
    const second = client.stream("second", { contextId, taskId: tasks[0].id });
    const reader = await openReader(await second);
    model.release();

    const answered = await first;
    const last = (await reader.toEnd()).slice(-2).map(({ json }) => json.result);

    expect(answered.status.state).toBe(state("input-required"));
    expect(answered.artifacts).toMatchObject([{ parts: [{ text: "done" }] }]);
    expect(JSON.stringify(last[0])).toContain("artifact");
    expect((last[1].statusUpdate ?? last[1]).status.state).toBe(state("completed"));
  });

  test(`a prompt during an open question waits, and the question stays open, ${named} [RFC-14]`, async () => {
    await using stage = await openStage();
    const client = createClient(stage, version);
    const plain = createClient(stage, version, true);
    const { id, contextId } = await client.send("write a.txt: hi");

    const queued = await client.sendAtOnce("say after", { taskId: id, contextId });
    const task = await client.call("get", { id });
    const listed = await createClient(stage, versions[0]).call("list", {
      status: "TASK_STATE_INPUT_REQUIRED",
    });
    const health = await jsonOf(await fetch(new URL("/health", stage.url)));
    const repeated = await plain.sendAtOnce("what?", { contextId });

    expect(queued.status.state).toBe(state("input-required"));
    expect(task.status.state).toBe(state("input-required"));
    expect(task.status.message.parts[0].data).toMatchObject({ status: "PENDING" });
    expect(listed.tasks.map((each: { id: string }) => each.id)).toEqual([id]);
    expect(health.activeTasks).toBe(0);
    expect(repeated.id).toBe(id);
    expect(repeated.status.message.parts[0].text).toContain("proceed_once");
  });

  test(`a re-sent prompt that is still queued returns at the end of its turn, ${named} [LOG-02]`, async () => {
    await using stage = await openStage();
    const client = createClient(stage, version);
    const { id, contextId, status } = await client.send("write a.txt: hi");
    const toolCallId = status.message.parts[0].data.tool_call_id;
    await client.sendAtOnce("say after", { taskId: id, contextId });

    const again = client.send("say after", { taskId: id, contextId });
    await client.call("send", {
      message: {
        ...version.user,
        messageId: "yes",
        taskId: id,
        parts: [
          {
            ...(version.version === "0.3" && { kind: "data" }),
            data: { tool_call_id: toolCallId, selected_option_id: "proceed_once" },
          },
        ],
      },
    });

    expect((await again).status.state).toBe(state("completed"));
  });

  for (const [what, prompt] of [
    ["with a running turn", "wait 60000"],
    ["with an open question", "write a.txt: hi"],
  ] as const) {
    test(`the cancel of a task ${what} also ends its waiting requests, ${named}`, async () => {
      await using stage = await openStage();
      const client = createClient(stage, version);
      const { id, contextId } = await client.sendAtOnce(prompt);
      const watcher = await openReader(await client.subscribe(id));
      const blocking = client.send("say second", { taskId: id, contextId });
      const streaming = await openReader(
        await client.stream("say third", { taskId: id, contextId }),
      );

      const cancelled = await client.call("cancel", { id });
      const stream = await streaming.toEnd();

      expect(cancelled.status.state).toBe(state("canceled"));
      expect((await blocking).status.state).toBe(state("canceled"));
      expect(updatesIn(stream).at(-1)?.slice(1)).toEqual(
        version.version === "0.3" ? [state("canceled"), "", true] : [state("canceled"), ""],
      );
      expect(updatesIn(await watcher.toEnd()).at(-1)?.[1]).toBe(state("canceled"));
      expect(stage.faults).toEqual([]);
    });
  }
}

for (const version of versions) {
  const isRefused = version.version === "1.0";
  test(`if a message arrives when its task has just ended, it ${isRefused ? "is refused" : "continues the task"}, over A2A ${version.version} [RFC-27]`, async () => {
    const model = createHeldModel();
    const openAgent: OpenAgent = async ({ settings, ledger, journal }) => {
      const workspace = await openWorkspace(settings.workspacePath);
      const log = new EventEmitter();
      const ended = once(log, "ended");
      const watched = {
        ...ledger,
        async append(entry: LedgerEntry) {
          const position = await ledger.append(entry);
          if (entry.events.some((event) => event.state === "completed")) log.emit("ended");
          return position;
        },
      };
      const session = await createSession({
        engine: createModelEngine({ model, tools: fileTools, workspace }),
        ledger: watched,
        journal,
      });
      return {
        ...session,
        async handle(request, caller) {
          if (request.type === "prompt" && request.messageId === "second") {
            model.release();
            await ended;
          }
          return await session.handle(request, caller);
        },
      };
    };
    await using stage = await openStage({ server: { openAgent } });
    const client = createClient(stage, version);
    const { id, contextId } = await client.sendAtOnce("first");
    await model.called(1);

    const second = await client.send("second", { taskId: id, contextId });

    if (isRefused) expect(second).toMatchObject({ code: -32004 });
    else expect(second).toMatchObject({ id, status: { state: "completed" } });
    expect(stage.faults).toEqual([]);
  });
}

test("an open question does not count as a running turn and does not delay the server's stop [SRV-10]", async () => {
  await using data = await openDataDir();
  const file = path.join(data.directory, "sessions.db");
  const limits = { maxTurns: 1, maxTurnsPerOwner: 1, maxWaitMs: 60_000 };
  const open = () => openStage({ server: { limits, store: openSqliteStore({ file }) } });
  await using before = await open();
  const client = createClient(before, versions[0]);
  const { id, contextId } = await client.send("write a.txt: hi");
  await client.sendAtOnce("say next", { contextId });
  await client.sendAtOnce("say more", { taskId: id });

  const hello = await client.send("say hello");
  await before.server.close({ graceMs: 600_000 });
  await using after = await open();
  const again = await createClient(after, versions[0]).send("say hello again");
  await after.server.close({ graceMs: 600_000 });

  expect(hello.status?.state).toBe("TASK_STATE_COMPLETED");
  expect(again.status?.state).toBe("TASK_STATE_COMPLETED");
});
