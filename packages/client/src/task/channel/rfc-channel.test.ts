import { getEventListeners } from "node:events";
import {
  DEFAULT_EXTENSION_URIS,
  emptyTaskView,
  ProtocolError,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { spellings } from "@dt/schema/wire";
import { afterEach, expect, test, vi } from "vitest";
import { TransportError } from "../../errors/transport-error.js";
import { eventFrame, spellTask, taskFrame } from "../../testing/fake-frames.js";
import {
  type ConversationScript,
  openConversation,
} from "../scripted-conversation.test-support.js";
import { createRfcChannel } from "./rfc-channel.js";

const activation = { uris: DEFAULT_EXTENSION_URIS, session: false, developmentTool: true };
const dialect = { spelling: spellings["1.0"], activation };
const view = (state: TaskView["state"], text = ""): TaskView => ({
  ...emptyTaskView("task-1", "context-1"),
  state,
  items: text === "" ? [] : [{ at: "", event: { kind: "TEXT_CONTENT", text } }],
});
const task = (...of: Parameters<typeof view>) => spellTask(view(...of), dialect);
const framed = (...of: Parameters<typeof view>) => taskFrame(view(...of), dialect).result;
const frame = (event: SessionEvent) => eventFrame(event, dialect, false).result;
const said = (text: string) => frame(buildEvent({ kind: "TEXT_CONTENT", text }));
const became = (state: TaskView["state"]) => frame(buildEvent({ kind: "STATE_CHANGE" }, { state }));
const parts = [{ type: "text", text: "go" }] as const;
const isSubscription = (method: string) => method === "SubscribeToTask";

afterEach(() => {
  vi.useRealTimers();
});

function openChannel(script: ConversationScript) {
  const { conversation, ...rest } = openConversation(script);
  const channel = createRfcChannel({ ...conversation, origin: { principal: "me", name: "" } });
  /** Follows the task; returns a word for each update. */
  async function follow(after?: string, signal?: AbortSignal): Promise<string[]> {
    const updates: string[] = [];
    for await (const update of channel.follow("task-1", after, signal)) {
      if (update.type === "snapshot") updates.push(`snapshot ${update.view.state}`);
      else if (update.event.kind === "TEXT_CONTENT") updates.push(update.event.text);
      else updates.push(update.event.kind === "STATE_CHANGE" ? update.event.state : "?");
    }
    return updates;
  }
  return { channel, follow, ...rest };
}

test("the stream of a message is read to its end without other requests", async () => {
  const { channel, follow, seen } = openChannel({
    stream: () => [framed("submitted"), said("a"), said("a"), became("completed"), said("late")],
  });

  const sent = await channel.send({ type: "prompt", parts }, {});

  expect(sent).toMatchObject({ taskId: "task-1", items: [{ event: { parts } }] });
  expect(await follow(sent.cursor)).toEqual(["a", "a", "completed"]);
  expect(seen.map(({ method }) => method)).toEqual(["SendStreamingMessage"]);
});

test("after a break the task is requested, and a subscription repeats no event", async () => {
  const { channel, follow, seen, pauses } = openChannel({
    call: () => task("working", "ab"),
    *stream({ method }) {
      if (isSubscription(method)) yield* [framed("working", "ab"), said("c"), became("completed")];
      else {
        yield* [said("a")];
        throw new TransportError("closed", "cut");
      }
    },
  });

  const sent = await channel.send({ type: "prompt", parts }, {});

  expect(await follow(sent.cursor)).toEqual(["b", "c", "completed"]);
  expect(pauses).toEqual([1]);
  expect(seen.slice(1).map(({ method, params }) => [method, params])).toEqual([
    ["GetTask", { id: "task-1", historyLength: 1_000 }],
    ["SubscribeToTask", { id: "task-1" }],
  ]);
});

test("a subscription does not repeat the text of the snapshot before it", async () => {
  let requests = 0;
  const { follow } = openChannel({
    call: () => {
      requests += 1;
      return requests === 1 ? task("working", "a") : task("working", "abc");
    },
    stream: () => [said("c"), said("d"), became("completed")],
  });

  expect(await follow()).toEqual(["snapshot working", "bc", "d", "completed"]);
});

test.each(["method-not-found", "unsupported-operation"] as const)(
  "an agent that replies to a subscription with %s is polled ever more slowly",
  async (code) => {
    vi.useFakeTimers();
    const start = Date.now();
    const times: number[] = [];
    const { follow, seen } = openChannel({
      call: () => {
        times.push(Date.now() - start);
        return times.length < 6 ? task("working") : task("completed", "done");
      },
      stream: () => {
        throw new ProtocolError(code, "no");
      },
    });

    const updates = follow();
    await vi.advanceTimersByTimeAsync(20_000);

    expect(await updates).toEqual(["snapshot working", "done", "completed"]);
    expect(times).toEqual([0, 500, 1_500, 3_500, 8_500, 13_500]);
    expect(seen.filter(({ method }) => isSubscription(method))).toHaveLength(1);
  },
);

test("after a change, an agent that ends subscriptions is polled faster", async () => {
  vi.useFakeTimers();
  const start = Date.now();
  const subscribed: number[] = [];
  const { follow } = openChannel({
    call: () => task("input-required"),
    *stream() {
      subscribed.push(Date.now() - start);
      if (subscribed.length === 3)
        yield* [framed("input-required"), said("news"), became("input-required")];
    },
  });
  const abort = new AbortController();

  const updates = follow(undefined, abort.signal);
  await vi.advanceTimersByTimeAsync(3_400);
  abort.abort();

  expect(await updates).toEqual(["snapshot input-required", "news", "input-required"]);
  expect(subscribed).toEqual([0, 500, 1_500, 2_000, 3_000]);
});

test("sending a message ends the pause before the next poll", async () => {
  vi.useFakeTimers();
  const { channel, follow, seen } = openChannel({
    call: () => task("input-required"),
    *stream({ method }) {
      if (isSubscription(method)) throw new ProtocolError("method-not-found", "no");
      yield* [said("answer"), became("completed")];
    },
  });
  const updates = follow();
  await vi.advanceTimersByTimeAsync(100);

  await channel.send({ type: "prompt", parts }, { taskId: "task-1" });
  await vi.advanceTimersByTimeAsync(0);

  expect(await updates).toEqual(["snapshot input-required", "?", "answer", "completed"]);
  expect(seen.map(({ method }) => method)).toEqual([
    "GetTask",
    "SubscribeToTask",
    "SendStreamingMessage",
  ]);
});

test("an accepted message resets the number of attempts", async () => {
  let requests = 0;
  const stage = openChannel({
    async call() {
      requests += 1;
      if (requests === 2) await stage.channel.send({ type: "prompt", parts }, { taskId: "task-1" });
      return task("working");
    },
    *stream({ method }) {
      if (!isSubscription(method)) yield said("a");
      if (requests > 2) yield became("completed");
      throw new TransportError("closed", "cut");
    },
  });
  const sent = await stage.channel.send({ type: "prompt", parts }, {});

  expect((await stage.follow(sent.cursor)).at(-1)).toBe("completed");

  expect(stage.pauses).toEqual([1, 2, 1]);
});

test("a loop whose signal aborts between two updates yields no more updates", async () => {
  const { channel, closing } = openChannel({
    stream: () => [said("a"), said("b"), said("c"), became("completed")],
  });
  await channel.send({ type: "prompt", parts }, {});
  for await (const _ of channel.follow("task-1", undefined));
  const abort = new AbortController();
  let updates = 0;

  for await (const _ of channel.follow("task-1", "0.here", abort.signal)) {
    updates += 1;
    abort.abort();
  }

  expect(updates).toBe(1);
  expect(getEventListeners(closing.signal, "abort")).toEqual([]);
});

test("a message without a reply is sent again until its signal aborts", async () => {
  let sent = 0;
  const abort = new AbortController();
  const { channel, seen, pauses } = openChannel({
    maxAttempts: 9,
    stream: () => {
      sent += 1;
      if (sent === 3) abort.abort(new Error("enough"));
      return [];
    },
  });

  await expect(channel.send({ type: "prompt", parts }, {}, abort.signal)).rejects.toThrow("enough");

  expect(seen).toHaveLength(3);
  expect(pauses).toEqual([1, 2]);
});

test("a loop rejects with an error that a retry cannot fix", async () => {
  const refusal = new ProtocolError("task-not-found", "gone");
  const { follow } = openChannel({
    call: () => {
      throw refusal;
    },
  });

  await expect(follow()).rejects.toBe(refusal);
});

test("a loop on an ended task reads the open stream of a message to its end", async () => {
  const { channel, follow, seen } = openChannel({
    stream: () => [framed("completed", "old"), said("more"), became("completed")],
  });

  const sent = await channel.send({ type: "prompt", parts }, {});

  expect(sent.state).toBe("completed");
  expect(await follow(sent.cursor)).toEqual(["more", "completed"]);
  expect(seen).toHaveLength(1);
});

test("a reply that is a message becomes a task that has ended, and a missing reply is an error", async () => {
  const message = { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hi" }] } };
  const talking = openChannel({ maxAttempts: 1, stream: () => [message] });
  const silent = openChannel({ maxAttempts: 1, stream: () => [] });

  const { state, items } = await talking.channel.send({ type: "prompt", parts }, {});
  expect(state).toBe("completed");
  expect(items.at(-1)?.event).toMatchObject({ kind: "TEXT_CONTENT", text: "hi" });
  await expect(silent.channel.send({ type: "prompt", parts }, {})).rejects.toMatchObject({
    reason: "closed",
    message: "the stream ended without an answer",
  });
});

test("a channel continues ended tasks on A2A 0.3 only, and repeats prompts on both versions", () => {
  const channels = (["0.3", "1.0"] as const).map((version) => openChannel({ version }).channel);

  expect(channels).toMatchObject([
    { continuesEndedTasks: true, repeatsPrompts: true },
    { continuesEndedTasks: false, repeatsPrompts: true },
  ]);
});

test("the channel remembers 200 tasks, and forgets the least recently used one", async () => {
  const { channel, seen } = openChannel({
    call: ({ params }) => spellTask({ ...view("completed"), taskId: String(params.id) }, dialect),
  });
  const countRequests = async (taskId: string) => {
    const before = seen.length;
    for await (const _ of channel.follow(taskId, undefined));
    return seen.length - before;
  };
  for (let count = 0; count < 200; count += 1) await channel.get(`task ${count}`);

  const all = [await countRequests("task 0"), await countRequests("task 1")];
  await channel.get("task 200");

  expect(all).toEqual([0, 0]);
  expect([await countRequests("task 3"), await countRequests("task 2")]).toEqual([0, 1]);
});

test("a broken stream of a message is not retried if another message's stream waits to be read", async () => {
  let sends = 0;
  const { channel, follow, seen, pauses } = openChannel({
    *stream() {
      sends += 1;
      if (sends === 1) {
        yield said("a");
        throw new TransportError("closed", "cut");
      }
      yield* [said("b"), became("completed")];
    },
  });
  await channel.send({ type: "prompt", parts }, {});
  await channel.send({ type: "prompt", parts }, { taskId: "task-1" });

  expect((await follow("0.here")).slice(-2)).toEqual(["b", "completed"]);
  expect([pauses, seen.map(({ method }) => method)]).toEqual([
    [],
    ["SendStreamingMessage", "SendStreamingMessage"],
  ]);
});

test("attempts are counted from 1 again after a frame", async () => {
  let subscriptions = 0;
  const { follow, pauses } = openChannel({
    call: () => task("working"),
    *stream() {
      subscriptions += 1;
      if (subscriptions === 3) yield* [framed("working"), became("completed")];
      if (subscriptions === 2) yield framed("working");
      throw new TransportError("closed", "cut");
    },
  });

  expect(await follow()).toEqual(["snapshot working", "completed"]);

  expect(pauses).toEqual([1, 1]);
});

test("a task that has ended is not requested again if the stream of its message breaks", async () => {
  const { channel, follow, seen, pauses } = openChannel({
    *stream() {
      yield framed("completed", "old");
      throw new TransportError("closed", "cut");
    },
  });
  const sent = await channel.send({ type: "prompt", parts }, {});

  expect(await follow(sent.cursor)).toEqual([]);
  expect([seen.length, pauses]).toEqual([1, []]);
});

test("a slow loop yields the events that a faster loop has read meanwhile", async () => {
  const { channel, follow } = openChannel({
    stream: () => [said("a"), said("b"), became("completed")],
  });
  await channel.send({ type: "prompt", parts }, {});
  const slow: unknown[] = [];

  for await (const update of channel.follow("task-1", undefined)) {
    if (slow.length === 0) await follow();
    slow.push(update.type === "event" ? update.event.kind : update.view.state);
  }

  expect(slow).toEqual(["working", "TEXT_CONTENT", "STATE_CHANGE"]);
});

test("a task whose stream is open is remembered, however many other tasks are used", async () => {
  const { channel, follow, seen } = openChannel({
    call: ({ params }) => spellTask({ ...view("completed"), taskId: String(params.id) }, dialect),
    stream: () => [said("a"), became("completed")],
  });
  const { cursor } = await channel.send({ type: "prompt", parts }, {});
  for (let count = 0; count < 200; count += 1) await channel.get(`other ${count}`);
  const before = seen.length;

  expect(await follow(cursor)).toEqual(["completed"]);
  expect(seen).toHaveLength(before);
});

test.each(["send", "get", "cancel", "follow"] as const)(
  "a signal aborts a method of the channel: %s",
  async (name) => {
    let resolve = () => {};
    const called = new Promise<void>((done) => {
      resolve = done;
    });
    const waits = ({ signal }: { readonly signal: AbortSignal | undefined }) => {
      resolve();
      return new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const { channel, follow, seen } = openChannel({
      call: waits,
      // biome-ignore lint/correctness/useYield: this stream never yields.
      async *stream(request) {
        await waits(request);
      },
    });
    const abort = new AbortController();
    const { signal } = abort;
    const calls = {
      send: () => channel.send({ type: "prompt", parts }, {}, signal),
      get: () => channel.get("task-1", signal),
      cancel: () => channel.cancel("task-1", signal),
      follow: async () => {
        expect(await follow(undefined, signal)).toEqual([]);
        throw signal.reason;
      },
    };
    const running = calls[name]();
    await called;

    abort.abort(new Error("enough"));

    await expect(running).rejects.toThrow("enough");
    expect(seen.map((request) => request.signal?.aborted)).toEqual([true]);
  },
);

test("an unreadable reply to a message is refused with the path of the fault", async () => {
  const { channel } = openChannel({ stream: () => [5] });

  await expect(channel.send({ type: "prompt", parts }, {})).rejects.toThrow(/^result: /);
});
