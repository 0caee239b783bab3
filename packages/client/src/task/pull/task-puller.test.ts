import { DEFAULT_EXTENSION_URIS, emptyTaskView, ProtocolError, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { spellings } from "@dt/schema/wire";
import { afterEach, expect, test, vi } from "vitest";
import { eventFrame, spellTask, taskFrame } from "../../testing/fake-frames.js";
import type { StreamSource } from "../channel/stream-source.js";
import {
  type ConversationScript,
  openConversation,
} from "../scripted-conversation.test-support.js";
import { createTaskPuller } from "./task-puller.js";

const activation = { uris: DEFAULT_EXTENSION_URIS, session: false, developmentTool: true };
const dialect = { spelling: spellings["1.0"], activation };
const at = "2026-01-02T03:04:05.678Z";
const origin = { principal: "me", name: "" };
const own = { messageId: "own", parts: [{ type: "text", text: "go" }], origin } as const;
const shown = { kind: "USER_PROMPT", ...own };
const viewIn = (state: TaskView["state"], about: Partial<TaskView> = {}): TaskView => ({
  ...emptyTaskView("task-1", "context-1"),
  state,
  at,
  ...about,
});
const framed = (...of: Parameters<typeof viewIn>) => taskFrame(viewIn(...of), dialect).result;
const became = (state: TaskView["state"]) =>
  eventFrame(buildEvent({ kind: "STATE_CHANGE" }, { state }), dialect, false).result;
const said = (text: string) =>
  eventFrame(buildEvent({ kind: "TEXT_CONTENT", text }), dialect, false).result;
const artifact = {
  artifactUpdate: {
    taskId: "task-1",
    contextId: "context-1",
    artifact: { artifactId: "a", parts: [{ text: "made" }] },
  },
};

afterEach(() => {
  vi.useRealTimers();
});

function openPuller(script: ConversationScript = {}) {
  const { conversation, ...rest } = openConversation(script);
  return { puller: createTaskPuller("task-1", conversation), ...rest };
}

/** Creates a stream of these results, which then ends. */
function sourceOf(...results: readonly unknown[]): StreamSource & { readonly isClosed: boolean } {
  const left = [...results];
  let isClosed = false;
  return {
    async next() {
      const result = left.shift();
      return result === undefined ? undefined : { result, cursor: undefined };
    },
    close() {
      isClosed = true;
    },
    get isClosed() {
      return isClosed;
    },
  };
}

const first = (result: unknown) => ({ result, cursor: undefined });
const eventsOf = ({ items }: TaskView) => items.map(({ event }) => event);

test("an artifact at the start of a stream is added to the view", () => {
  const { puller } = openPuller();

  puller.addStream(first(artifact), sourceOf(), own);

  expect(puller.feed.view.artifacts).toEqual([
    { artifactId: "a", parts: [{ type: "text", text: "made" }] },
  ]);
});

test.each<[string, unknown, readonly unknown[], Partial<TaskView>]>([
  ["a change of state", became("working"), [shown], { state: "working", at }],
  ["a text", said("a"), [shown, { kind: "TEXT_CONTENT", text: "a" }], { state: "working", at }],
  ["the task", framed("submitted"), [shown], { state: "submitted", at }],
  ["an artifact", artifact, [shown], { state: "submitted", at: "" }],
])(
  "if a prompt's stream begins with %s, the view shows the prompt first",
  (_, result, items, header) => {
    const { puller } = openPuller();

    puller.addStream(first(result), sourceOf(), own);

    const ids = { taskId: "task-1", contextId: "context-1" };
    expect(eventsOf(puller.feed.view)).toEqual(items);
    expect(puller.feed.view).toMatchObject({ ...ids, ...header });
    expect(puller.feed.read("0.here")[0]).toMatchObject({ event: { ...shown, ...ids, ...header } });
  },
);

test("a prompt that the task contains is shown once, and an answer adds no prompt", () => {
  const prompted = openPuller();
  const answered = openPuller();
  const items = [{ at, event: { kind: "USER_PROMPT" as const, ...own } }];

  prompted.puller.addStream(first(framed("working", { items })), sourceOf(), own);
  answered.puller.addStream(first(became("working")), sourceOf(), undefined);

  expect(eventsOf(prompted.puller.feed.view)).toMatchObject([
    { kind: "USER_PROMPT", messageId: "own" },
  ]);
  expect(eventsOf(answered.puller.feed.view)).toEqual([]);
});

test("the items of a new task are shown before the prompt that opened the stream", () => {
  const { puller } = openPuller();
  const items = [
    { at, event: { kind: "USER_PROMPT" as const, ...own, messageId: "other" } },
    { at, event: { kind: "TEXT_CONTENT" as const, text: "old" } },
  ];

  puller.addStream(first(framed("working", { items })), sourceOf(), own);

  expect(eventsOf(puller.feed.view)).toMatchObject([
    { kind: "USER_PROMPT", messageId: "other" },
    { kind: "TEXT_CONTENT", text: "old" },
    { kind: "USER_PROMPT", messageId: "own" },
  ]);
});

test("a task frame at the start of a stream changes a known view only if the task does not run", () => {
  const { puller } = openPuller();
  puller.addStream(first(said("known")), sourceOf(), undefined);

  puller.addStream(first(framed("submitted")), sourceOf(), undefined);
  const introduced = puller.feed.view;
  puller.addStream(first(framed("completed")), sourceOf(), undefined);

  expect(introduced).toMatchObject({ state: "working", cursor: "1.here" });
  expect(puller.feed.view).toMatchObject({ state: "completed", cursor: "2.here" });
  expect(puller.isOver).toBe(false);
});

test("isIdle is true without a stream; isOver is true once all streams of an ended task were read", async () => {
  const { puller } = openPuller();
  const source = sourceOf(said("b"), became("completed"), said("late"));
  const idle = [puller.isIdle];

  puller.addStream(first(said("a")), source, own);
  idle.push(puller.isIdle);
  await puller.pull();
  idle.push(puller.isIdle);
  await puller.pull();
  idle.push(puller.isIdle);

  expect(idle).toEqual([true, false, false, true]);
  expect([puller.isOver, source.isClosed]).toEqual([true, true]);
  expect(puller.feed.read("3.here")).toMatchObject([{ event: { state: "completed" } }]);
});

test("concurrent calls of pull() share one promise and one request", async () => {
  const { puller, seen } = openPuller({ stream: () => [framed("working"), said("a")] });

  const pulls = [puller.pull(), puller.pull()];
  await Promise.all(pulls);

  expect(pulls[0]).toBe(pulls[1]);
  expect(seen).toHaveLength(1);
});

test.each(["task-not-found", "invalid-message"] as const)(
  "pull() rejects if a subscription is refused with %s",
  async (code) => {
    const refusal = new ProtocolError(code, "no");
    const { puller } = openPuller({
      stream: () => {
        throw refusal;
      },
    });

    await expect(puller.pull()).rejects.toBe(refusal);
  },
);

test("the puller still subscribes after the agent has refused the stream of a message", async () => {
  let subscriptions = 0;
  const { puller } = openPuller({
    call: () => spellTask(viewIn("working"), dialect),
    stream: () => {
      subscriptions += 1;
      return [framed("working"), said("b")];
    },
  });
  const broken: StreamSource = {
    next: () => Promise.reject(new ProtocolError("unsupported-operation", "no")),
    close() {},
  };
  puller.addStream(first(said("a")), broken, own);

  await expect(puller.pull()).rejects.toThrow("no");
  await puller.pull();

  expect(subscriptions).toBe(1);
});

test("closing the client ends a pause, and later pulls do not wait", async () => {
  vi.useFakeTimers();
  const { puller, closing, seen } = openPuller({
    call: ({ signal }) => {
      signal?.throwIfAborted();
      return spellTask(viewIn("input-required"), dialect);
    },
    stream: () => {
      throw new ProtocolError("method-not-found", "no");
    },
  });
  const pulled = puller.pull().catch((reason: Error) => reason.message);
  await vi.advanceTimersByTimeAsync(100);

  closing.abort(new Error("closed"));

  expect(await pulled).toBe("closed");
  expect(await puller.pull().catch((reason: Error) => reason.message)).toBe("closed");
  expect(seen.map(({ method }) => method)).toEqual(["SubscribeToTask"]);
});

test("a pull skips a frame that another stream had, and reads until the task changes", async () => {
  const { puller } = openPuller();
  puller.addStream(first(said("a")), sourceOf(said("b"), said("c")), own);
  puller.addStream(first(said("b")), sourceOf(), { ...own, messageId: "second" });

  await puller.pull();

  const texts = eventsOf(puller.feed.view).flatMap((event) =>
    event.kind === "TEXT_CONTENT" ? [event.text] : [],
  );
  expect(texts).toEqual(["a", "bc"]);
});

test("the stream of an answer is read before the stream of a silent prompt", async () => {
  const { puller } = openPuller();
  const silent: StreamSource = { next: () => new Promise(() => {}), close() {} };
  puller.addStream(first(became("working")), silent, own);
  puller.addStream(first(became("working")), sourceOf(said("answered")), undefined);

  await puller.pull();

  expect(eventsOf(puller.feed.view).at(-1)).toMatchObject({ text: "answered" });
});

test("the end of a message's stream causes no request if the task is idle", async () => {
  const { puller, seen } = openPuller();
  puller.addStream(first(became("input-required")), sourceOf(), own);

  await puller.pull();

  expect(seen).toEqual([]);
  expect(puller.isIdle).toBe(true);
});

test("a stream that ends early is a break, and the task is requested after it", async () => {
  const { puller, seen, monitor } = openPuller({
    call: () => spellTask(viewIn("completed"), dialect),
  });
  const reasons: unknown[] = [];
  monitor.onChange((state) => "reason" in state && reasons.push(state.reason));
  puller.addStream(first(said("a")), sourceOf(), own);

  await puller.pull();

  expect(reasons).toMatchObject([{ reason: "closed", message: "the stream ended early" }]);
  expect(seen.map(({ method }) => method)).toEqual(["GetTask"]);
  expect(puller.isOver).toBe(true);
});

test("a pull fails with the error of the request after a break", async () => {
  const refusal = new ProtocolError("task-not-found", "gone");
  const { puller } = openPuller({
    call: () => {
      throw refusal;
    },
  });
  puller.addStream(first(said("a")), sourceOf(), own);

  await expect(puller.pull()).rejects.toBe(refusal);
});

test.each([
  ["text that the task contains", "old new", "new", "old new"],
  ["text that the task does not contain", "old new", "er", "old newer"],
  ["text that equals the end of an unchanged task", "old", "d", "oldd"],
])(
  "the view has each text once if the first frame of a subscription is %s",
  async (_, text, repeated, expected) => {
    const texts = ["old", text];
    const items = () => [
      { at, event: { kind: "USER_PROMPT" as const, ...own } },
      { at, event: { kind: "TEXT_CONTENT" as const, text: texts.shift() ?? "" } },
    ];
    const { puller } = openPuller({
      call: () => spellTask(viewIn("working", { items: items() }), dialect),
      stream: () => [said(repeated)],
    });
    puller.addStream(first(said("old")), sourceOf(), own);
    // The first pull requests the task after the break, and the second one subscribes to it.
    await puller.pull();
    await puller.pull();

    expect(eventsOf(puller.feed.view).at(-1)).toMatchObject({ text: expected });
  },
);

test("an unreadable frame or task is refused with the path of the fault", async () => {
  const { puller } = openPuller({ call: () => 5 });
  const unreadable = expect.objectContaining({ message: expect.stringMatching(/^result: /) });

  await expect(puller.refresh()).rejects.toEqual(unreadable);
  expect(() => puller.addStream(first(5), sourceOf(), own)).toThrow(unreadable);
  puller.addStream(first(said("a")), sourceOf(5), own);
  await expect(puller.pull()).rejects.toEqual(unreadable);
});
