import type { AgentEvent, StampedEvent } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitTo } from "../../../testing/commit-to.js";
import {
  openStorageStandIn,
  type StorageStandIn,
} from "../../../testing/storage/open-storage-stand-in.js";
import { event, next, STARTED_AT, session } from "../../../testing/store-checks.js";
import { openGcsStore } from "../open-gcs-store.js";

/** Retries without noticeable pauses. */
const FAST = { maxTries: 2, baseMs: 1, maxPauseMs: 2, timeoutMs: 60_000 };

let storage: StorageStandIn;
beforeAll(async () => {
  storage = await openStorageStandIn();
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
});

let prefixes = 0;

/** Opens a store with a session, and appends events to its task. */
async function openStage() {
  prefixes += 1;
  const prefix = `tasks-${prefixes}`;
  const { endpoint, bucket } = storage;
  const open = () => openGcsStore({ endpoint, bucket, prefix, retries: FAST });
  let store = await open();
  let position = 0;
  const textOf = (name: string) =>
    storage.objects.get(`${prefix}/tasks/task/${name}`)?.body.toString();
  return {
    prefix,
    /** Opens another store, as after a restart. Later events are appended to it. */
    async restart() {
      store = await open();
    },
    close: () => store.close(),
    textOf,
    namesOf: () =>
      [...storage.objects.keys()]
        .filter((name) => name.startsWith(`${prefix}/tasks/`))
        .map((name) => name.slice(`${prefix}/tasks/`.length))
        .sort(),
    writesOf: (name: string) =>
      storage.requests.filter(
        (request) => request.type === "insert" && request.name === `${prefix}/tasks/task/${name}`,
      ).length,
    /** Commits events of the task, with the state that the last of them has. */
    async append(events: readonly AgentEvent[], state: StampedEvent["state"]) {
      const logged = events.map((each, index) => ({
        position: position + index + 1,
        event: { ...event(1), ...each, state: index + 1 < events.length ? "working" : state },
      }));
      const isNew = position === 0;
      position += events.length;
      await commitTo(store, [{ ...next([]), events: logged as never, ...(isNew && { session }) }]);
    },
  };
}

const prompt: AgentEvent = {
  kind: "USER_PROMPT",
  messageId: "m",
  parts: [{ type: "text", text: "write a file" }],
  origin: { principal: "alice", name: "Alice" },
};
const wrote = (filePath: string, newContent: string): AgentEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({
    toolCallId: newContent,
    status: "SUCCEEDED",
    result: {
      $case: "output",
      value: {
        result: { $case: "diff", value: { fileName: "a.txt", filePath, newContent } },
      },
    },
  }),
});
const said = (text: string): AgentEvent => ({ kind: "TEXT_CONTENT", text });
const ended: AgentEvent = { kind: "STATE_CHANGE" };

test("a task whose turn has ended has its state, history, files, reply and artifacts [SRV-14]", async () => {
  const { close, append, namesOf, textOf } = await openStage();
  const artifact = { artifactId: "report", parts: [{ type: "text", text: "all good" }] } as const;

  await append(
    [
      prompt,
      wrote("/work/notes/a.txt", "one"),
      wrote("/work/notes/a.txt", "two"),
      { kind: "ARTIFACT", artifact, lastChunk: true },
      said("done"),
      ended,
    ],
    "completed",
  );
  await close();

  expect(namesOf()).toEqual([
    "task/artifacts/answers/answer",
    "task/artifacts/answers/report",
    "task/artifacts/notes/a.txt",
    "task/history.json",
    "task/metadata.json",
    "task/state.json",
  ]);
  expect(textOf("artifacts/notes/a.txt")).toBe("two");
  expect(textOf("artifacts/answers/answer")).toBe("done");
  expect(textOf("artifacts/answers/report")).toBe("all good");
  expect(JSON.parse(textOf("state.json") ?? "")).toMatchObject({ state: "completed" });
  expect(JSON.parse(textOf("history.json") ?? "").length).toBeGreaterThan(0);
  expect(JSON.parse(textOf("metadata.json") ?? "")).toBeTypeOf("object");
});

test("a task is written when its turn has ended or asks a question, and not before [SRV-14]", async () => {
  const { restart, close, append, namesOf, textOf } = await openStage();

  await append([prompt, said("hello")], "working");
  await close();
  const running = namesOf();
  await restart();
  await append([ended], "input-required");
  await close();

  expect(running).toEqual([]);
  expect(JSON.parse(textOf("state.json") ?? "")).toEqual({
    state: "running",
    timestamp: STARTED_AT,
  });
  expect(textOf("artifacts/answers/answer")).toBe("hello");
});

test("the next turn of a task replaces its state, and writes only the files of that turn again [SRV-14]", async () => {
  const { close, append, textOf, writesOf } = await openStage();
  await append([prompt, wrote("/work/a.txt", "one"), ended], "input-required");
  await expect.poll(() => textOf("state.json")).toContain("running");

  await append([prompt, wrote("/elsewhere/b.txt", "two"), said("bye"), ended], "completed");
  await expect.poll(() => textOf("state.json")).toContain("completed");
  await close();

  expect(textOf("artifacts/a.txt")).toBe("one");
  expect(textOf("artifacts/elsewhere/b.txt")).toBe("two");
  expect([writesOf("artifacts/a.txt"), writesOf("artifacts/elsewhere/b.txt")]).toEqual([1, 1]);
  expect(textOf("artifacts/answers/answer")).toBe("bye");
});

test("a task with more events than a page is written with all of them [SRV-14]", async () => {
  const { close, append, textOf } = await openStage();
  const words = Array.from({ length: 600 }, (_, index) => `word-${index} `);

  await append([prompt, ...words.map(said), ended], "completed");
  await close();

  expect(textOf("artifacts/answers/answer")).toBe(words.join(""));
});

test("a task that could not be written before a crash is written after the restart [SRV-14]", async () => {
  const { prefix, restart, close, append, namesOf, textOf } = await openStage();
  const end = storage.fail({
    status: 403,
    when: ({ type, name }) => type === "insert" && name.startsWith(`${prefix}/tasks/`),
  });
  await append([prompt, said("done"), ended], "completed");
  const before = namesOf();
  await restart();
  end();
  await restart();
  await close();

  expect(before).toEqual([]);
  expect(textOf("artifacts/answers/answer")).toBe("done");
  expect(JSON.parse(textOf("state.json") ?? "")).toMatchObject({ state: "completed" });
});
