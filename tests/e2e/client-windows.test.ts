import {
  type AgentClient,
  connect,
  openQuestions,
  type TaskHandle,
  type TaskView,
} from "@dt/client";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { openCutProxy } from "./support/cut-proxy.js";
import { openStage } from "./support/open-stage.js";
import { createRandom } from "./support/random.js";

const VERSIONS = ["1.0", "0.3"] as const;

/** Formats each item of a view as one line. */
function linesOf({ items }: TaskView): readonly string[] {
  return items.map(({ event }) => {
    if (event.kind === "USER_PROMPT")
      return `> ${event.parts.map((part) => (part.type === "text" ? part.text : ""))}`;
    if (event.kind === "TEXT_CONTENT") return event.text;
    return event.kind === "TOOL_CALL_UPDATE" ? event.toolCall.status : event.kind;
  });
}

async function untilShown(task: TaskHandle, isReached: (view: TaskView) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = () => {
      if (!isReached(task.view())) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = task.subscribe(check);
    queueMicrotask(check);
  });
}

const isAt = (text: string) => (view: TaskView) =>
  view.state === "completed" && linesOf(view).at(-1) === text;

test.each(VERSIONS)(
  "each of two clients of a session sees the turns that the other starts, over A2A %s [RFC-27]",
  async (version) => {
    await using stage = await openStage();
    const [ada, bob] = [await stage.connect({ version }), await stage.connect({ version })];
    const hers = await ada.startTask({ workspacePath: stage.workspace.root, prompt: "say one" });
    await untilShown(hers, isAt("one"));
    const his = await bob.openSession(hers.contextId);
    await untilShown(his, isAt("one"));

    await hers.prompt("say two");
    await untilShown(hers, isAt("two"));
    await his.prompt("say three");
    for await (const _ of his.events());
    await untilShown(hers, isAt("three"));

    const texts = ["> say one", "one", "> say two", "two", "> say three", "three"];
    expect(linesOf(his.view())).toEqual(texts);
    expect(linesOf(hers.view())).toEqual(texts);
    expect(linesOf((await bob.openSession(hers.contextId)).view())).toEqual(texts);
  },
);

test.each(VERSIONS)(
  "a client that opens a session can answer a question of an earlier prompt, over A2A %s [CLI-17]",
  async (version) => {
    await using stage = await openStage();
    const [ada, bob] = [await stage.connect({ version }), await stage.connect({ version })];
    const hers = await ada.startTask({
      workspacePath: stage.workspace.root,
      prompt: "write a.txt: hi then say wrote",
    });
    await untilShown(hers, (view) => openQuestions(view).length > 0);
    await (await bob.openSession(hers.contextId)).prompt("say next");

    const late = await (await stage.connect({ version })).openSession(hers.contextId);
    const [question] = openQuestions(late.view());
    const answered = await late.answer(question ?? { toolCallId: "" }, "proceed_once");
    await untilShown(late, isAt("next"));

    expect(answered).toEqual({ accepted: true });
    expect(linesOf(late.view())).toEqual([
      "> write a.txt: hi then say wrote",
      "SUCCEEDED",
      "wrote",
      "> say next",
      "next",
    ]);
  },
);

test("a client that was offline for 25 turns shows all of them after it reconnects [LOG-02]", async () => {
  await using stage = await openStage();
  await using proxy = await openCutProxy(stage.url);
  const ada = await stage.connect();
  const hers = await ada.startTask({ workspacePath: stage.workspace.root, prompt: "say 0" });
  await untilShown(hers, isAt("0"));
  const reconnect = { baseMs: 5, maxMs: 50 };
  const bob = await connect(proxy.url, { keepsOrigin: true, reconnect });
  const his = await bob.openTask(hers.taskId);
  const unsubscribe = his.subscribe(() => {});

  await proxy.cut();
  for (let turn = 1; turn <= 25; turn += 1) {
    await hers.prompt(`say ${turn}`);
    await untilShown(hers, isAt(`${turn}`));
  }
  await proxy.restore();
  await untilShown(his, isAt("25"));
  unsubscribe();
  bob.close();

  expect(linesOf(his.view())).toEqual(linesOf(hers.view()));
});

const kinds = VERSIONS.flatMap((version) =>
  (["sse", "websocket"] as const).map((transport) => ({ version, transport })),
);

test.each(kinds)(
  "two clients show the same view after random disconnects, over $transport in A2A $version [LOG-02]",
  async ({ version, transport }) => {
    await using stage = await openStage();
    await using proxy = await openCutProxy(stage.url);
    const random = createRandom(version.length + transport.length);
    const open = (clientName: string) =>
      connect(proxy.url, {
        version,
        transport,
        WebSocket,
        keepsOrigin: true,
        clientName,
        reconnect: { baseMs: 5, maxMs: 50 },
      });
    const clients: readonly AgentClient[] = [await open("ada"), await open("bob")];
    const first = await clients[0]!.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say start",
    });
    const windows = [first, await clients[1]!.openSession(first.contextId)];
    for (const window of windows) window.subscribe(() => {});
    const prompts = ["say hi", "chunks 20", "write a.txt: x then say wrote", "fail oops"];

    for (let step = 0; step < 24; step += 1) {
      const window = windows[random(2)]!;
      const [question] = openQuestions(window.view());
      if (random(6) === 0) {
        await proxy.cut();
        await proxy.restore();
      } else if (question !== undefined) {
        await window.answer(question, random(2) === 0 ? "proceed_once" : "cancel");
      } else await window.prompt(prompts[random(prompts.length)]!);
    }

    const reader = await stage.connect({ version });
    const shown = ({ presence: _, isTextOpen: __, ...view }: TaskView) => view;
    await vi.waitUntil(
      async () => {
        const session = await reader.openSession(first.contextId);
        const now = session.view();
        for (const call of openQuestions(now)) await session.answer(call, "proceed_once");
        const isOver = now.queue.length === 0 && ["completed", "failed"].includes(now.state);
        return isOver && windows.every((window) => window.view().cursor === now.cursor);
      },
      { timeout: 300_000, interval: 20 },
    );
    const log = shown((await reader.openSession(first.contextId)).view());
    for (const client of clients) client.close();

    for (const window of windows) expect(shown(window.view())).toEqual(log);
    expect(proxy.broken).toBeGreaterThan(0);
    expect(stage.faults).toEqual([]);
  },
);
