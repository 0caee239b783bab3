import { type ConnectOptions, type SessionEvent, type TaskHandle, textOf } from "@dt/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "./support/open-stage.js";

/** Returns the text of an event, the status of its tool call, its new state, or else its kind. */
function brief(event: SessionEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  if (event.kind === "TOOL_CALL_UPDATE") return event.toolCall.status;
  return event.kind === "STATE_CHANGE" ? event.state : event.kind;
}

/** Reads a task to its end and approves every question. */
async function readAndApprove(task: TaskHandle, onEvent: (event: SessionEvent) => void = () => {}) {
  const seen: string[] = [];
  for await (const event of task.events()) {
    onEvent(event);
    // Live output depends on timing, so it is left out.
    if (event.kind !== "TOOL_CALL_UPDATE" || event.toolCall.liveContent === undefined) {
      seen.push(brief(event));
    }
    if (event.kind !== "STATE_CHANGE") continue;
    for (const call of event.waiting ?? []) await task.answer(call, "proceed_once");
  }
  return seen;
}

const EVENTS_OF_TURN = [
  "working",
  "one",
  "PENDING",
  "input-required",
  "EXECUTING",
  "SUCCEEDED",
  "two",
  "completed",
];

// The server does not know this URI of the session extension, so the client activates only the
// `development-tool` extension and gets no cursors.
const rfcOnly = { uris: { developmentTool: DEVELOPMENT_TOOL_URI, session: "urn:of-another:v9" } };

const kinds = (["sse", "websocket"] as const).flatMap((transport) =>
  (["0.3", "1.0"] as const).flatMap((version) => [
    { transport, version, mode: "with cursors", options: {} },
    { transport, version, mode: "without cursors", options: rfcOnly },
  ]),
);

test.each(kinds)(
  "the client yields the events of two turns over $transport in A2A $version $mode [RFC-19, RFC-26, RFC-27]",
  async ({ transport, version, options }) => {
    await using stage = await openStage();
    const connectOptions: ConnectOptions = { transport, version, WebSocket, ...options };
    const client = await stage.connect(connectOptions);
    const task = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say one then write a.txt: hi then say two",
    });

    const isWord = (word: string) => word !== "USER_PROMPT" && word !== "TITLE";
    const first = await readAndApprove(task);
    await task.prompt("say three");
    const second = await readAndApprove(task);

    expect(client).toMatchObject({ transport, version });
    expect(first.filter(isWord)).toEqual(EVENTS_OF_TURN);
    expect(second.filter(isWord)).toEqual(["working", "three", "completed"]);
    expect(await stage.workspace.read("a.txt")).toBe("hi");
    const texts = task.view().items.flatMap(({ event }) => {
      if (event.kind === "USER_PROMPT") return [`> ${textOf(event.parts)}`];
      return event.kind === "TEXT_CONTENT" ? [event.text] : [];
    });
    expect(texts).toEqual([
      "> say one then write a.txt: hi then say two",
      "one",
      "two",
      "> say three",
      "three",
    ]);
    expect(stage.faults).toEqual([]);
  },
);

test.each(["0.3", "1.0"] as const)(
  "an A2A %s client without cursors recovers missed events after a disconnect",
  async (version) => {
    await using stage = await openStage();
    let cuts = 0;
    // Ends each of the first six streams after its first frame.
    const cutting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (isStream !== true || response.body === null || cuts >= 6) return response;
      cuts += 1;
      return new Response(firstFrameOf(response.body), { headers: response.headers });
    };
    const client = await stage.connect({
      ...rfcOnly,
      version,
      fetch: cutting,
      reconnect: { baseMs: 1, maxMs: 5 },
    });
    const task = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say one then write a.txt: hi then say two then write b.txt: ho then say three",
    });
    const seen: SessionEvent[] = [];

    await readAndApprove(task, (event) => seen.push(event));

    const text = seen.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
    const ended = seen.flatMap((event) =>
      event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "SUCCEEDED"
        ? [event.toolCall.inputParameters?.file_path]
        : [],
    );
    expect(cuts).toBe(6);
    expect(text.join("")).toBe("onetwothree");
    expect(ended).toEqual(["a.txt", "b.txt"]);
    expect(task.view()).toMatchObject({ state: "completed", openCalls: [] });
    expect(await stage.workspace.read("b.txt")).toBe("ho");
  },
);

function firstFrameOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) return controller.close();
      text += decoder.decode(value, { stream: true });
      const end = text.indexOf("\n\n", text.indexOf("data:"));
      if (!text.includes("data:") || end < 0) return;
      controller.enqueue(new TextEncoder().encode(text.slice(0, end + 2)));
      controller.close();
      await reader.cancel();
    },
  });
}

test("two clients that share a task over different transports see the same events [LOG-02]", async () => {
  await using stage = await openStage();
  const ide = await stage.connect({ clientName: "ide" });
  const page = await stage.connect({ clientName: "page", transport: "websocket", WebSocket });
  const task = await ide.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say one then write a.txt: hi then say two",
  });
  const joined = await page.openTask(task.taskId);

  const [mine, theirs] = await Promise.all([
    readAndApprove(task),
    (async () => {
      const seen: string[] = [];
      for await (const event of joined.events({ after: task.view().cursor! })) {
        seen.push(brief(event));
      }
      return seen;
    })(),
  ]);

  expect(mine).toEqual(EVENTS_OF_TURN.toSpliced(1, 0, "TITLE"));
  expect(theirs).toEqual(mine);
  expect(joined.view().items).toEqual(task.view().items);
});

test("a list of tasks can be filtered by session or by state, over both transports", async () => {
  await using stage = await openStage();
  for (const transport of ["sse", "websocket"] as const) {
    const client = await stage.connect({ transport, WebSocket });
    const done = await client.startTask({ workspacePath: stage.workspace.root, prompt: "say hi" });
    await readAndApprove(done);
    const asking = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "write a.txt: hi",
    });
    for await (const event of asking.events()) if (event.state === "input-required") break;

    const listed = [];
    for await (const view of client.listTasks({ contextId: asking.contextId, pageSize: 1 })) {
      listed.push(view);
    }
    const completed = [];
    for await (const view of client.listTasks({ state: "completed" })) completed.push(view.taskId);

    expect(listed).toMatchObject([{ taskId: asking.taskId, openCalls: [{ status: "PENDING" }] }]);
    expect(completed).toContain(done.taskId);
    await asking.cancel();
  }
});
