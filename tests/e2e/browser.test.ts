import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Model } from "@dt/agent-core";
import { callTool, say, scriptedModel } from "@dt/agent-core/testing";
import type { TaskHandle, TaskView, TransportKind } from "@dt/client";
import { buildQuestion } from "@dt/schema/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildChatView } from "./support/chat-view.js";
import { openCutProxy } from "./support/cut-proxy.js";
import { openBrowser, type TestBrowser } from "./support/open-browser.js";
import { openStage } from "./support/open-stage.js";
import { openPageServer, type PageServer } from "./support/page-server.js";

let chromium: TestBrowser;
let pages: PageServer;
beforeAll(async () => {
  [chromium, pages] = await Promise.all([openBrowser(), openPageServer()]);
});
afterAll(async () => {
  await Promise.all([chromium?.[Symbol.asyncDispose](), pages?.[Symbol.asyncDispose]()]);
});

/** Opens an agent that allows the page's origin, a proxy between page and agent, and an empty browser tab. */
async function openPageStage(transport: TransportKind = "sse", model?: Model) {
  const stage = await openStage({
    ...(model !== undefined && { model }),
    server: { allowedOrigins: [pages.origin] },
  });
  const proxy = await openCutProxy(stage.url);
  const context = await chromium.browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await writeFile(path.join(stage.workspace.root, "notes.txt"), "one\nkept\n");
  const query = new URLSearchParams({
    agent: proxy.url,
    workspace: stage.workspace.root,
    transport,
  });
  return {
    ...stage,
    proxy,
    page,
    address: (origin: string) => `${origin}/?${query}`,
    async [Symbol.asyncDispose]() {
      await context.close();
      await proxy[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}

test.concurrent.each([
  {
    transport: "sse",
    written: "two\nkept\n",
    decide: (page: Page) => page.click('[data-option="proceed_once"]'),
  },
  {
    transport: "websocket",
    written: "mine\nkept\n",
    async decide(page: Page) {
      await page.click('button:text-is("Edit")');
      await page.fill("textarea.editor", "mine\nkept\n");
      await page.click('button:text-is("Approve edited")');
    },
  },
] as const)(
  "a page over $transport shows every event after it was offline during a turn [PKG-03, LOG-02]",
  async ({ transport, written, decide }) => {
    const pausing = createPausingModel();
    await using stage = await openPageStage(transport, pausing.model);
    const { page, proxy } = stage;
    await page.goto(stage.address(pages.origin));
    await page.waitForSelector(`text=connected over ${transport}`);

    await page.fill("textarea[name=text]", "change the first note");
    await page.click('button:text-is("Send")');
    await page.waitForSelector(".card.waits .diff .added");
    expect(await page.textContent(".diff .removed")).toBe("one");
    expect(await page.textContent(".diff .added")).toBe("two");
    const observer = await observe(stage, page);
    await decide(page);
    await page.waitForSelector("text=seen 20");

    await proxy.cut();
    await page.waitForSelector('#connection[data-status="reconnecting"]');
    pausing.continueTurn();
    // The turn ends while the page is offline. At least two attempts of the page to reconnect fail.
    await observer.done;
    await page.waitForSelector("#connection >> text=/reconnecting, attempt ([3-9]|[1-9][0-9])/");
    expect(await page.textContent("#task-state")).toBe("working");
    expect(await page.textContent("#transcript")).not.toContain("missed");
    await proxy.restore();
    await page.waitForSelector("#task-state >> text=completed");

    expect(proxy.broken).toBeGreaterThan(0);
    expect(await page.textContent("#connection")).toBe(`connected over ${transport}`);
    const seen = observer.task.view();
    expect(await viewOf(page)).toEqual(seen);
    const transcript = await transcriptOf(page);
    expect(transcript).toEqual(transcriptOfView(seen));
    expect(
      transcript.filter(({ kind }) => kind === "TEXT_CONTENT").map(({ text }) => text),
    ).toEqual([
      [...chunks("seen", 20), ...chunks("missed", 40)].map(({ text }) => text).join(""),
      "end",
    ]);
    expect(await stage.workspace.read("notes.txt")).toBe(written);
    expect(stage.faults).toEqual([]);
  },
);

/** Creates a model that edits a file, sends text, and waits for `continueTurn` before it sends more. */
function createPausingModel() {
  let continueTurn = () => {};
  const gate = new Promise<void>((resolve) => {
    continueTurn = resolve;
  });
  const model = scriptedModel([
    [
      { type: "thought", thought: { subject: "plan", description: "edit and tell" } },
      callTool("replace", { file_path: "notes.txt", old_string: "one", new_string: "two" }),
    ],
    async function* () {
      yield* chunks("seen", 20);
      await gate;
      yield* chunks("missed", 40);
      yield callTool("list_directory", { path: "." });
    },
    [say("end")],
  ]);
  return { model, continueTurn };
}

const chunks = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: "text" as const,
    text: `${word} ${index + 1}\n`,
  }));

/** Reads the page's task with a Node client that bypasses the proxy. */
async function observe(stage: Awaited<ReturnType<typeof openPageStage>>, page: Page) {
  const agent = await stage.connect({ clientName: "node" });
  const task = await agent.openTask(await taskIdOf(page));
  return { task, done: readToEnd(task) };
}

async function readToEnd(task: TaskHandle): Promise<void> {
  for await (const _ of task.events());
}

test.concurrent("a reloaded page shows the conversation and continues it [CLI-17, RFC-27]", async () => {
  await using stage = await openPageStage();
  const { page } = stage;
  await page.goto(stage.address(pages.origin));
  await page.waitForSelector("text=connected over sse");
  await page.fill("textarea[name=text]", "say first then edit notes.txt: one -> two");
  await page.click('button:text-is("Send")');
  await page.waitForSelector(".card.waits");
  const before = await transcriptOf(page);

  await page.reload();
  await page.waitForSelector(".card.waits");
  expect(await transcriptOf(page)).toEqual(before);
  await page.click('[data-option="cancel"]');
  await page.waitForSelector("#task-state >> text=completed");
  await page.fill("textarea[name=text]", "say second");
  await page.click('button:text-is("Send")');
  await page.waitForSelector("article.TEXT_CONTENT >> text=second");

  expect(await stage.workspace.read("notes.txt")).toBe("one\nkept\n");
});

test.concurrent.each(["sse", "websocket"] as const)(
  "a page from a foreign origin cannot connect over %s and shows an error [SEC-01]",
  async (transport) => {
    await using stage = await openPageStage(transport);
    const { page } = stage;
    // `localhost` and `127.0.0.1` are different origins, and only the second one is allowed.
    await page.goto(stage.address(pages.origin.replace("127.0.0.1", "localhost")));
    await page.waitForSelector("#fault:not([hidden])");
    const direct = await page.evaluate(
      ([url, socket]) =>
        Promise.all([
          fetch(`${url}.well-known/agent-card.json`).then(
            () => "read",
            () => "refused",
          ),
          fetch(url ?? "", { method: "POST", mode: "no-cors", body: "{}" }).then(
            ({ type }) => type,
            () => "refused",
          ),
          new Promise((resolve) => {
            const opened = new WebSocket(socket ?? "");
            opened.onopen = () => resolve("open");
            opened.onerror = () => resolve("refused");
          }),
        ]),
      [stage.url, `${stage.url.replace("http", "ws")}ws`],
    );

    expect(await page.textContent("#fault")).toContain("no agent answers at");
    expect(direct).toEqual(["refused", "opaque", "refused"]);
    for await (const made of (await stage.connect()).listTasks()) expect.fail(made.taskId);
  },
);

test.concurrent("the VS Code example shows a chat, offers commands and posts the person's answers [RFC-22]", async () => {
  const view = await buildChatView();
  const context = await chromium.browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
  await page.addInitScript(
    `acquireVsCodeApi = () => ({
      postMessage: (a) => posted.push(a),
      getState: () => JSON.parse(sessionStorage.kept ?? "null") ?? undefined,
      setState: (state) => { sessionStorage.kept = JSON.stringify(state); },
    }); posted = []`,
  );
  await page.route("http://127.0.0.1:9/**", (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({ contentType: "text/javascript", body: view.script })
      : route.fulfill({ contentType: "text/html", body: view.html }),
  );
  await page.goto("http://127.0.0.1:9/");

  const command = { name: "help", description: "helps", arguments: [], subCommands: [] };
  const items = [
    { at: "", event: { kind: "TEXT_CONTENT", text: "<b>bold</b>" } },
    { at: "", event: { kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() } },
  ];
  const chat = { items, turn: "running", connection: "connected", commands: [command] };
  await page.evaluate(`postMessage(${JSON.stringify(chat)}, "*")`);
  await page.click('.call button:text-is("Allow once")');
  await page.fill("#text", "/help");
  await page.keyboard.press("Enter");

  expect(await page.textContent(".text")).toBe("<b>bold</b>");
  expect(await page.getAttribute("#commands option", "value")).toBe("/help");
  expect(await page.textContent("#status")).toBe("connected · running");
  expect(await page.evaluate("posted")).toEqual([
    { type: "ready" },
    { type: "answer", toolCallId: "call-1", optionId: "proceed_once" },
    { type: "submit", text: "/help" },
  ]);
  // After a reload, the input field still has its text.
  await page.fill("#text", "half a prom");
  await page.reload();
  expect(await page.inputValue("#text")).toBe("half a prom");
  expect(faults).toEqual([]);
  await context.close();
});

async function taskIdOf(page: Page): Promise<string> {
  const { hash } = new URL(page.url());
  return new URLSearchParams(hash.slice(1)).get("task") ?? "";
}

async function viewOf(page: Page): Promise<unknown> {
  return await page.evaluate("taskView()");
}

interface Line {
  readonly kind: string;
  readonly text: string;
  readonly tool?: string;
  readonly status?: string;
}

/** Returns the lines that the page shows. */
async function transcriptOf(page: Page): Promise<Line[]> {
  return await page.$$eval("#transcript > article", (articles) =>
    articles.map((article) => {
      const kind = article.getAttribute("data-kind") ?? "";
      const card = article.querySelector(".card");
      if (card === null) return { kind, text: article.textContent ?? "" };
      const tool = card.getAttribute("data-tool") ?? "";
      return { kind, text: "", tool, status: card.getAttribute("data-status") ?? "" };
    }),
  );
}

/** Returns the lines that the page should show for a view. */
function transcriptOfView(view: TaskView): Line[] {
  return view.items.map(({ event }) => {
    const line = { kind: event.kind, text: "" };
    switch (event.kind) {
      case "USER_PROMPT":
        return {
          ...line,
          text: event.parts.map((part) => (part.type === "text" ? part.text : "")).join(),
        };
      case "TEXT_CONTENT":
        return { ...line, text: event.text };
      case "THOUGHT":
        return { ...line, text: `${event.thought.subject} ${event.thought.description}` };
      case "TOOL_CALL_UPDATE":
        return { ...line, tool: event.toolCall.toolName, status: event.toolCall.status };
      default:
        return line;
    }
  });
}
