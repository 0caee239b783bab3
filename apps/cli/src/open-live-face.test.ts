import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import type { FacePort, FaceState } from "@dt/schema";
import { openSqliteStore, type SessionStore } from "@dt/server";
import { expect, test } from "vitest";
import { openLiveFace } from "./open-live-face.js";

/** Creates a workspace, and functions that open stores and sessions for it. */
async function openStage() {
  const [workspace, home] = await Promise.all([openTempWorkspace(), openTempWorkspace()]);
  const file = path.join(home.root, "dt.db");
  return {
    openStore: () => openSqliteStore({ file, isShared: true }),
    open: (store: SessionStore, contextId?: string) =>
      openLiveFace({
        store,
        workspacePath: workspace.root,
        home: home.root,
        environment: { PATH: process.env.PATH, DT_DATA_DIR: home.root },
        ...(contextId !== undefined && { contextId }),
        model: "offline",
        mode: "default",
        needsModel: false,
        endpoint: { opensAtStart: true, port: 0, host: "127.0.0.1", allowsPlainHttp: false },
        logger: { error() {}, warn() {}, info() {}, debug() {} },
        onWarning() {},
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all([workspace, home].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

const { signal } = new AbortController();

/** Sends a prompt and waits until the offline model has answered it. */
async function say(face: FacePort, text: string): Promise<void> {
  await face.handle({ type: "prompt", parts: [{ type: "text", text: `say ${text}` }] });
  for await (const state of face.states(signal)) {
    if (textsIn(state).includes(text) && state.view.state === "input-required") return;
  }
}

async function textsNow(face: FacePort): Promise<readonly string[]> {
  for await (const state of face.states(signal)) return textsIn(state);
  return [];
}

function textsIn({ view }: FaceState): readonly string[] {
  return view.items.flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
}

test("one process runs and resumes two sessions on one store", async () => {
  await using stage = await openStage();
  const store = stage.openStore();
  const first = [await stage.open(store), await stage.open(store)] as const;
  await Promise.all([say(first[0].face, "one"), say(first[1].face, "two")]);
  // The other session and the store stay open after the first session is closed.
  await first[0].face.close();
  await say(first[1].face, "three");
  await first[1].face.close();
  await store.close();

  const again = stage.openStore();
  const second = await Promise.all(first.map(({ face }) => stage.open(again, face.contextId)));
  const resumed = await Promise.all(second.map(({ face }) => textsNow(face)));
  await Promise.all(second.map(({ face }, index) => say(face, `more ${index}`)));
  const continued = await Promise.all(second.map(({ face }) => textsNow(face)));
  await Promise.all(second.map(({ face }) => face.close()));
  await again.close();

  expect(resumed).toEqual([["one"], ["two", "three"]]);
  expect(continued).toEqual([
    ["one", "more 0"],
    ["two", "three", "more 1"],
  ]);
});

test("each session of a process is served at its own address", async () => {
  await using stage = await openStage();
  const store = stage.openStore();
  const opened = [await stage.open(store), await stage.open(store)];
  const servers = await Promise.all(opened.map((each) => each.serve()));

  const responses = await Promise.all(servers.map(({ url }) => fetch(`${url}health`)));

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(servers.map(({ url }) => url)).size).toBe(2);
  await Promise.all(opened.map(({ face }) => face.close()));
  await store.close();
});

test("an open session cannot be opened again in the same process", async () => {
  await using stage = await openStage();
  const store = stage.openStore();
  const { face } = await stage.open(store);
  await say(face, "one");

  await expect(stage.open(store, face.contextId)).rejects.toThrow(/open/);

  await say(face, "two");
  expect(await textsNow(face)).toEqual(["one", "two"]);
  await face.close();
  await store.close();
});
