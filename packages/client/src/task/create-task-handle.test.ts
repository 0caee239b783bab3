/// <reference types="node" />
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { SessionEvent, TaskHandle, TaskView } from "../index.js";
import { isProtocolError, isTransportError, textOf } from "../index.js";
import { buildEditQuestion, createFakeAgent, type FakeScript } from "../testing/index.js";

const workspacePath = "/work";

/** A promise that the test settles. */
function deferred<TValue = void>() {
  let resolve: (value: TValue) => void = () => {};
  const promise = new Promise<TValue>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function textIn(view: TaskView): string[] {
  return view.items.flatMap(({ event }) => {
    if (event.kind === "TEXT_CONTENT") return [event.text];
    return event.kind === "USER_PROMPT" ? [`> ${textOf(event.parts)}`] : [];
  });
}

async function read(task: TaskHandle, options = {}): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for await (const event of task.events(options)) seen.push(event);
  return seen;
}

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

for (const version of ["0.3", "1.0"] as const) {
  test(`prompts after the end of a task stay in one conversation, in order, over A2A ${version} [RFC-27]`, async () => {
    const client = await createFakeAgent().connect({ version });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    await read(task);

    await Promise.all([task.prompt("two"), task.prompt("three")]);
    await until(task, (view) => textIn(view).at(-1) === "three" && view.state === "completed");

    expect(textIn(task.view())).toEqual(["> one", "one", "> two", "two", "> three", "three"]);
    expect(task.view().contextId).toBe(task.contextId);
  });

  test(`a prompt continues the session if its task has ended unnoticed, over A2A ${version} [RFC-27]`, async () => {
    const client = await createFakeAgent().connect({ version });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    // The agent has finished the task, but the first handle has not read that.
    await read(await client.openTask(task.taskId));
    expect(task.view().state).not.toBe("completed");

    await task.prompt("two");
    const seen = await read(task);

    expect(seen.at(-1)).toMatchObject({ kind: "STATE_CHANGE", state: "completed" });
    expect(textIn(task.view()).slice(-2)).toEqual(["> two", "two"]);
  });

  test(`a loop from any cursor ends if the task has ended, over A2A ${version} [LOG-02]`, async () => {
    const client = await createFakeAgent().connect({ version });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    const all = await read(task);

    for (const [index, { cursor }] of all.entries()) {
      expect(await read(task, { after: cursor })).toEqual(all.slice(index + 1));
    }
    expect(await read(task)).toEqual([]);
  });

  test(`a loop continues to the end of a queued prompt's turn over A2A ${version}`, async () => {
    const held = deferred();
    const script: FakeScript = async (turn) => {
      if (turn.turn === 1) await held.promise;
      turn.say(turn.text);
    };
    const client = await createFakeAgent({ script }).connect({ version });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    const reading = read(task);
    await task.prompt("two");

    held.resolve();
    const seen = await reading;

    expect(seen.filter(({ kind }) => kind === "TEXT_CONTENT")).toMatchObject([
      { text: "one" },
      { text: "two" },
    ]);
    expect(task.view().queue).toEqual([]);
    const isEnd = (event: SessionEvent) => event.state === "completed";
    expect(seen.findIndex(isEnd)).toBe(seen.length - 1);
  });
}

for (const version of ["0.3", "1.0"] as const) {
  test(`a loop continues from a cursor of any task of the conversation over A2A ${version} [LOG-02]`, async () => {
    const client = await createFakeAgent().connect({ version });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    const all = await read(task);
    await task.prompt("two");
    all.push(...(await read(task)));
    await task.prompt("three");
    all.push(...(await read(task)));

    for (const [index, { cursor }] of all.entries()) {
      expect(await read(task, { after: cursor })).toEqual(all.slice(index + 1));
    }
  });

  test(`each prompt after the first arrives as one event over A2A ${version}`, async () => {
    const client = await createFakeAgent().connect({ version });
    const task = await client.startTask({ workspacePath, prompt: "one" });
    const seen: SessionEvent[] = [];
    for await (const event of task.events()) {
      seen.push(event);
      const isEnd = event.kind === "STATE_CHANGE" && event.state === "completed";
      if (isEnd && seen.length < 5) await task.prompt("two");
    }
    await task.prompt("three");
    seen.push(...(await read(task)));

    const prompts = seen.flatMap((event) =>
      event.kind === "USER_PROMPT" ? [textOf(event.parts)] : [],
    );
    expect(prompts).toEqual(["two", "three"]);
    expect(textIn(task.view())).toEqual(["> one", "one", "> two", "two", "> three", "three"]);
  });
}

for (const version of ["0.3", "1.0"] as const) {
  test(`a client that reconnects sees and continues the whole conversation over A2A ${version} [RFC-27]`, async () => {
    const agent = createFakeAgent();
    const before = await (await agent.connect({ version })).startTask({
      workspacePath,
      prompt: "one",
    });
    await read(before);
    await before.prompt("two");
    await read(before);
    const client = await agent.connect({ version });

    for (const task of [
      await client.openTask(before.taskId),
      await client.openSession(before.contextId),
    ]) {
      expect(textIn(task.view())).toEqual(["> one", "one", "> two", "two"]);
      expect(task.taskId).toBe(before.taskId);
    }
    const task = await client.openSession(before.contextId);
    await task.prompt("three");
    await read(task);
    expect(textIn(task.view()).slice(-3)).toEqual(["two", "> three", "three"]);
  });

  test(`a subscriber follows a turn that another client starts over A2A ${version} [RFC-27]`, async () => {
    const agent = createFakeAgent();
    const ada = await (await agent.connect({ version })).startTask({
      workspacePath,
      prompt: "one",
    });
    const bobs = await agent.connect({ version });
    const bob = await bobs.openTask(ada.taskId);
    const isDone = (view: TaskView) => textIn(view).at(-1) === "two" && view.state === "completed";
    await read(ada);
    const faults: unknown[] = [];
    bob.subscribe(() => {}, { onError: (reason) => faults.push(reason) });
    await until(bob, ({ state }) => state === "completed");

    await ada.prompt("two");
    await until(bob, isDone);
    bobs.close();
    expect(faults).toEqual([]);

    expect(textIn(bob.view())).toEqual(["> one", "one", "> two", "two"]);
    expect(bob.taskId).toBe(ada.taskId);
  });
}

test("a session that does not exist is refused with a typed error", async () => {
  const client = await createFakeAgent().connect();

  const reason = await client.openSession("elsewhere").catch((error: unknown) => error);

  expect(isProtocolError(reason) && reason.code).toBe("task-not-found");
});

test("a prompt that waited for another task's turn appears once in the view", async () => {
  const held = deferred();
  const script: FakeScript = async (turn) => {
    if (turn.turn === 1) await held.promise;
    turn.say(turn.text);
  };
  const client = await createFakeAgent({ script }).connect();
  const first = await client.startTask({ workspacePath, prompt: "one" });
  const { contextId } = first;
  const second = await client.startTask({ contextId, prompt: "two" });

  held.resolve();
  await read(second);

  // The view also has the text of the session's other task.
  expect(textIn(second.view())).toEqual(["one", "> two", "two"]);
});

test("a cursor of another session is refused with a typed error", async () => {
  const client = await createFakeAgent().connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });

  const reason = await read(task, { after: "1.elsewhere" }).catch((error: unknown) => error);

  expect(isProtocolError(reason) && reason.code).toBe("cursor-not-found");
});

test("view() returns the same object until a change, and subscribers are notified of each change", async () => {
  const client = await createFakeAgent().connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });
  const views = new Set<TaskView>();
  const { view, subscribe } = task;
  const before = view();
  let seen = 0;

  const stop = subscribe(() => {
    seen += 1;
    views.add(view());
  });
  await until(task, ({ state }) => state === "completed");
  stop();

  expect(view()).not.toBe(before);
  expect(view()).toBe(view());
  expect(views.size).toBe(seen);
});

test.each([
  ["with", true],
  ["without", false],
])("a subscriber of an agent %s cursors is notified of later prompts", async (_, hasCursors) => {
  const client = await createFakeAgent({ hasCursors }).connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });
  let seen = 0;
  const stop = task.subscribe(() => {
    seen += 1;
  });
  await until(task, ({ state }) => state === "completed");

  await task.prompt("two");
  await until(task, (view) => textIn(view).at(-1) === "two" && view.state === "completed");
  stop();
  const before = seen;
  await task.prompt("three");
  await read(task);

  expect(textIn(task.view()).at(-1)).toBe("three");
  // The prompt and its events change the view, but no subscriber is left.
  expect(seen).toBe(before);
});

test("a subscription that cannot continue reports its error", async () => {
  const agent = createFakeAgent();
  const client = await agent.connect();
  const started = await client.startTask({ workspacePath, prompt: "one" });
  const refusing: typeof fetch = async () => new Response("no", { status: 403 });
  const other = await agent.connect({
    fetch: (input, init) =>
      init?.method === "POST" && String(init.body).includes("session/subscribe")
        ? refusing(input)
        : agent.fetch(input, init),
  });
  const failed = deferred<unknown>();

  const task = await other.openTask(started.taskId);
  await read(started);
  task.subscribe(() => {}, { onError: failed.resolve });
  const reason = await failed.promise;

  expect(isTransportError(reason) && reason.status).toBe(403);
});

test("closing a client ends loops quietly and rejects other methods with a reason", async () => {
  const script: FakeScript = async (turn) => {
    await turn.ask(buildQuestion());
  };
  const agent = createFakeAgent({ script });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });
  const reading = read(task);
  const watching = task.watch(() => {});
  await until(task, ({ state }) => state === "input-required");
  agent.network.goOffline();
  const prompting = task.prompt("two").catch((reason: unknown) => reason);

  client.close();
  const reason = await prompting;
  const after = await task.cancel().catch((error: unknown) => error);

  expect((await reading).at(-1)).toMatchObject({ state: "input-required" });
  await expect(watching).resolves.toBeUndefined();
  expect(isTransportError(reason) && reason.message).toBe("this client was closed");
  expect(isTransportError(after) && after.message).toBe("this client was closed");
});

test("a signal aborts only the methods that it was passed to", async () => {
  const script: FakeScript = async (turn) => {
    await turn.ask(buildQuestion());
    turn.say("done");
  };
  const agent = createFakeAgent({ script });
  const client = await agent.connect({ reconnect: { baseMs: 1, maxMs: 5 } });
  const task = await client.startTask({ workspacePath, prompt: "one" });
  const abort = new AbortController();
  const reading = read(task, { signal: abort.signal });
  await until(task, ({ state }) => state === "input-required");
  agent.network.goOffline();
  const answering = task
    .answer(buildQuestion(), "proceed_once", { signal: abort.signal })
    .catch((reason: unknown) => reason);

  abort.abort(new Error("enough"));
  agent.network.goOnline();

  expect(await answering).toMatchObject({ message: "enough" });
  await reading;
  await task.answer(buildQuestion(), "proceed_once");
  expect((await read(task)).at(-1)).toMatchObject({ state: "completed" });
});

test("the option maxAttempts limits the attempts", async () => {
  const agent = createFakeAgent();
  const client = await agent.connect({ reconnect: { baseMs: 1, maxMs: 2, maxAttempts: 3 } });
  const attempts: number[] = [];
  client.onConnectionChange((state) => {
    if (state.status === "reconnecting") attempts.push(state.attempt);
  });
  agent.network.goOffline();

  const reason = await client.startTask({ workspacePath, prompt: "x" }).catch((error) => error);

  expect(isTransportError(reason) && reason.reason).toBe("unreachable");
  expect(attempts).toEqual([1, 2]);
});

test("a listener that throws does not affect other listeners", async () => {
  const client = await createFakeAgent().connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });
  const thrown = deferred<unknown>();
  process.once("uncaughtException", thrown.resolve);
  let isFirst = true;

  const stop = task.subscribe(() => {
    if (isFirst) {
      isFirst = false;
      throw new Error("a fault of the page");
    }
  });
  await until(task, ({ state }) => state === "completed");
  stop();

  expect(await thrown.promise).toMatchObject({ message: "a fault of the page" });
});

test.each([
  [[], "prompt: expected text or at least one part"],
  [[{ type: "file", name: "a.txt" }], "prompt[0]: expected either bytes, in base64, or a uri"],
  [[{ type: "file", bytes: "", uri: "x:y" }], "prompt[0]: expected either bytes"],
  [[{ type: "data", data: undefined }], "prompt[0].data: required"],
  [null, "prompt: expected text or at least one part"],
  [[null], "prompt[0].type: expected text, data or file"],
  [[{ type: "file", bytes: "no base64!" }], "prompt[0].bytes: expected base64"],
  [[{ type: "video" }], "prompt[0].type: expected text, data or file"],
])("startTask refuses the prompt %j", async (parts, message) => {
  const client = await createFakeAgent().connect();

  const starting = client.startTask({ workspacePath, prompt: parts as never });

  await expect(starting).rejects.toThrow(message);
});

test.each([true, false, undefined, null, {}, 1])(
  "the value %j is refused as an answer and allows nothing [RFC-20]",
  async (wrong) => {
    const answers: string[] = [];
    const agent = createFakeAgent({
      script: async (turn) => {
        const [answer] = await turn.ask(buildEditQuestion());
        answers.push(answer?.selectedOptionId ?? "");
      },
    });
    const client = await agent.connect();
    const task = await client.startTask({ workspacePath: "/work", prompt: "edit" });
    const question = { toolCallId: buildEditQuestion().toolCallId };

    const answering = task.answer(question, wrong as unknown as string);

    await expect(answering).rejects.toThrow(
      "answer: expected an option's id, { newContent } or { reason }",
    );
    await task.answer(question, "cancel");
    expect(answers).toEqual(["cancel"]);
  },
);

test("watch() calls its listener with the current view before any event", async () => {
  const client = await createFakeAgent().connect();
  const task = await client.startTask({ workspacePath, prompt: "one" });
  await read(task);
  const seen: TaskView["state"][] = [];

  await task.watch(({ state }) => void seen.push(state));

  expect(seen).toEqual(["completed"]);
});
