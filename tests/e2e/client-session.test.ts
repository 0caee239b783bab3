import type { ConnectionState, SessionEvent } from "@dt/client";
import { createFakeAgent } from "@dt/client/testing";
import type { ItemEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "./support/open-stage.js";

/** Returns the text of an event, its new state, or else its kind. */
function brief(event: SessionEvent | ItemEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  return event.kind === "STATE_CHANGE" ? event.state : event.kind;
}

for (const version of ["0.3", "1.0"] as const) {
  test(`one handle continues the conversation after its task ended, over A2A ${version} [RFC-27]`, async () => {
    await using stage = await openStage();
    const client = await stage.connect({ version });
    const task = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say one",
    });
    const firstTask = task.taskId;
    const seen: string[] = [];

    for await (const event of task.events()) {
      seen.push(brief(event));
      if (brief(event) === "completed" && seen.length === 4) {
        await task.prompt("say two");
      }
    }

    // A2A 1.0 starts a new task for the second prompt, and the title is sent again in that task.
    const title = version === "1.0" ? ["TITLE"] : [];
    expect(seen.filter((word) => word !== "USER_PROMPT")).toEqual([
      ...["working", "TITLE", "one", "completed"],
      ...["working", ...title, "two", "completed"],
    ]);
    expect(task.taskId === firstTask).toBe(version === "0.3");
    expect(task.view().state).toBe("completed");
  });
}

test.each(["sse", "websocket"] as const)(
  "a loop yields the turns of a queued prompt and of a prompt sent at a turn's end, over %s",
  async (transport) => {
    await using stage = await openStage();
    const client = await stage.connect({ transport, WebSocket });
    const workspacePath = stage.workspace.root;
    const task = await client.startTask({ workspacePath, prompt: "say one then wait 60" });
    await task.prompt("say two then wait 60");
    const said: string[] = [];
    let isPrompted = false;

    for await (const event of task.events()) {
      if (event.kind === "TEXT_CONTENT") said.push(event.text);
      if (brief(event) !== "completed" || isPrompted) continue;
      isPrompted = true;
      await task.prompt("say three");
    }

    expect(said).toEqual(["one", "two", "three"]);
    const kinds = task.view().items.map(({ event }) => brief(event));
    expect(kinds).toEqual(["one", "two", "three"].flatMap((text) => ["USER_PROMPT", text]));
  },
);

test.each(["sse", "websocket"] as const)(
  "a prompt above the size limit is refused while the running turn continues, over %s",
  async (transport) => {
    await using stage = await openStage({ server: { maxBodyBytes: 20_000 } });
    const client = await stage.connect({ transport, WebSocket });
    const workspacePath = stage.workspace.root;
    const task = await client.startTask({ workspacePath, prompt: "wait 200 then say one" });
    const said: string[] = [];
    const reading = (async () => {
      for await (const event of task.events()) said.push(brief(event));
    })();

    const prompting = task.prompt("x".repeat(50_000));

    await expect(prompting).rejects.toMatchObject({ code: "too-large" });
    await reading;
    expect(said).toEqual(["working", "TITLE", "one", "completed"]);
  },
);

test("watch() calls its callback with each new view until the turn ends", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say one then say two",
  });
  const texts: string[] = [];

  await task.watch((view) => {
    const last = view.items.at(-1)?.event;
    if (last?.kind === "TEXT_CONTENT") texts.push(last.text);
  });

  expect(texts.at(-1)).toBe("onetwo");
  expect(task.view().state).toBe("completed");
});

test("files and data of a prompt are stored in the history", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const parts = [
    { type: "text", text: "say thanks" },
    { type: "file", bytes: "aGk=", name: "hi.txt", mediaType: "text/plain" },
    { type: "data", data: { line: 7 } },
  ] as const;

  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: parts });
  for await (const _ of task.events());
  const { items } = (await client.openTask(task.taskId)).view();

  expect(items[0]?.event).toMatchObject({ kind: "USER_PROMPT", parts });
});

test("closing a client during a loop ends the loop and reports the connection as closed", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const states: ConnectionState["status"][] = [];
  client.onConnectionChange((state) => states.push(state.status));
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi",
  });

  for await (const event of task.events()) {
    if (event.state === "input-required") client.close();
  }

  expect(states).toEqual(["closed"]);
});

test("a second loop that replays events does not change the handle's view", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say one then say two",
  });
  const start = task.view().cursor!;

  const read = async (after?: string) => {
    const seen: string[] = [];
    for await (const event of task.events(after === undefined ? {} : { after }))
      seen.push(brief(event));
    return seen;
  };
  const [first, second] = await Promise.all([read(), read()]);
  const again = await read(start);

  expect(first).toEqual(["working", "TITLE", "one", "two", "completed"]);
  expect(second).toEqual(first);
  expect(again).toEqual(first);
  expect(task.view().items.map(({ event }) => event.kind)).toEqual(["USER_PROMPT", "TEXT_CONTENT"]);
});

test("the client resumes a subscription that a proxy ended without an error [LOG-02]", async () => {
  await using stage = await openStage();
  let cuts = 0;
  // Ends each of the first two subscriptions after its first chunk.
  const cutting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isSubscription = String(init?.body).includes("session/subscribe");
    if (!isSubscription || cuts >= 2 || response.body === null) return response;
    cuts += 1;
    for await (const chunk of response.body)
      return new Response(chunk, { headers: response.headers });
    return response;
  };
  const client = await stage.connect({ fetch: cutting, reconnect: { baseMs: 1, maxMs: 5 } });
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say one then write a.txt: x then say two",
  });
  const seen: string[] = [];

  for await (const event of task.events()) {
    seen.push(brief(event));
    if (event.kind === "STATE_CHANGE" && event.waiting?.[0] !== undefined) {
      await task.answer(event.waiting[0], "proceed_once");
    }
  }

  expect(cuts).toBe(2);
  expect(seen.filter((word) => word !== "TOOL_CALL_UPDATE")).toEqual([
    "working",
    "TITLE",
    "one",
    "input-required",
    "two",
    "completed",
  ]);
});

test.each(["sse", "websocket"] as const)(
  "a client name with non-ASCII letters is stored with the client's prompt, over %s",
  async (transport) => {
    await using stage = await openStage();
    const clientName = "Zoë 100 日本";
    const client = await stage.connect({ clientName, transport, WebSocket });
    const workspacePath = stage.workspace.root;
    const { taskId } = await client.startTask({ workspacePath, prompt: "say hi" });

    const { items } = (await client.openTask(taskId)).view();

    expect(items[0]?.event).toMatchObject({ kind: "USER_PROMPT", origin: { name: clientName } });
  },
);

test("a client that uses a WebSocket sends its client name to the server", async () => {
  await using stage = await openStage();
  const page = await stage.connect({ clientName: "page", transport: "websocket", WebSocket });

  const { taskId } = await page.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say hi",
  });
  // A second client reads the name, because the first client knows its own name without the server.
  const { items } = (await (await stage.connect()).openTask(taskId)).view();

  expect(items[0]?.event).toMatchObject({ origin: { name: "page" } });
});

test("files and data that an agent sends with its text reach the client", async () => {
  const attachments = [
    { type: "file", bytes: "aGk=", name: "hi.txt", mediaType: "text/plain" },
    { type: "data", data: { line: 7 } },
  ] as const;
  for (const version of ["0.3", "1.0"] as const) {
    const agent = createFakeAgent({
      script: async (turn) => {
        turn.emit({ kind: "TEXT_CONTENT", text: "look", attachments });
      },
    });
    const client = await agent.connect({ version });
    const task = await client.startTask({ workspacePath: "/work", prompt: "show me" });
    const seen: SessionEvent[] = [];

    for await (const event of task.events()) seen.push(event);
    const joined = await client.openTask(task.taskId);

    expect(seen[1]).toMatchObject({ kind: "TEXT_CONTENT", text: "look", attachments });
    expect(joined.view().items[1]?.event).toMatchObject({ text: "look", attachments });
  }
});
