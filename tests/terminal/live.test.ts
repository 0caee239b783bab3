import { readFile } from "node:fs/promises";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openWscat } from "../e2e/support/open-wscat.js";
import { parseEvents } from "../e2e/support/raw-rpc.js";
import { openWsClient } from "../e2e/ws-client.js";
import { openScreen, type Screen } from "./support/open-screen.js";

const ENTER = "\r";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const PROMPTED = "Ask anything";

const prompt = (text: string) => ({
  jsonrpc: "2.0",
  method: "message/stream",
  params: { message: { content: { text } } },
});

const answer = (tool_call_id: string, selected_option_id: string, id?: number) => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  method: "message/stream",
  params: {
    message: {
      content: { data: { kind: "TOOL_CALL_CONFIRMATION", tool_call_id, selected_option_id } },
    },
  },
});

/** Starts the built dt with an endpoint in a terminal. */
async function openLive(args: readonly string[] = []) {
  const workspace = await openTempWorkspace();
  const screen = openScreen({
    cwd: workspace.root,
    args: ["--a2a-port", "0", ...args],
    columns: 120,
    rows: 40,
  });
  const shown = await screen.until(/A2A http:\S+/);
  const url = /A2A (http:\S+)/.exec(shown)?.[1] ?? "";
  const wsUrl = `${url.replace("http", "ws")}ws`;
  return {
    workspace,
    screen,
    url,
    wsUrl,
    join: (name: string) => openWsClient(wsUrl, { protocol: "", headers: { "X-DT-Client": name } }),
    async [Symbol.asyncDispose]() {
      await screen[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const untilIdle = (screen: Screen) =>
  screen.until((text) => text.includes(PROMPTED) && !/working|Allow/.test(text));

const countPrompts = (screen: Screen) => screen.history().match(/^> /gm)?.length ?? 0;

/** Waits until the agent is idle, types a prompt, and waits until the history shows it. */
async function type(screen: Screen, text: string): Promise<void> {
  await untilIdle(screen);
  const before = countPrompts(screen);
  screen.type(text + ENTER);
  await screen.until(() => countPrompts(screen) > before);
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
const asksAbout = (file: string) => (frame: any) =>
  frame.status === "PENDING" && JSON.stringify(frame.confirmation_request ?? "").includes(file);

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
const says = (text: string) => (frame: any) => frame.content?.text === text;

test("two sockets, a stream and wscat can prompt the terminal's session [CLI-02, CLI-05, CLI-07, CLI-10, CLI-15, CLI-16, CLI-18, CLI-19]", async () => {
  await using live = await openLive(["--debug"]);
  const { screen, url } = live;
  using ide = await live.join("IDE");
  using browser = await live.join("Browser");
  using hand = openWscat(live.wsUrl);
  await hand.shows("Connected");
  await screen.until("3 clients");

  await type(screen, "say from the terminal");
  await screen.until("● from the terminal");
  await ide.until(says("from the terminal"));
  await browser.until(says("from the terminal"));
  await hand.frame(says("from the terminal"));

  ide.send(prompt("say from the ide"));
  await screen.until("● from the ide");
  await browser.until(says("from the ide"));
  expect(screen.text()).toContain("> [A2A] IDE say from the ide");
  hand.type(JSON.stringify(prompt("say from wscat")));
  await screen.until("● from wscat");
  expect(screen.text()).toContain("> [A2A] local say from wscat");
  const created = await fetch(`${url}tasks`, { method: "POST" });
  const { id } = (await created.json()) as { id: string };
  const streamed = await fetch(`${url}tasks/${id}/messages/stream`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-DT-Client": "Script" },
    body: JSON.stringify(prompt("say over sse").params),
  });
  expect(JSON.stringify(parseEvents(await streamed.text()))).toContain("over sse");
  await screen.until("● over sse");
  expect(screen.text()).toContain("> [A2A] Script say over sse");

  const log = /log: (\S+)/.exec(screen.history())?.[1] ?? "";
  await untilIdle(screen);
  screen.type(CTRL_D);
  expect(await screen.exited).toBe(0);
  await ide.closed;
  const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
  expect(lines.filter((line) => !line.includes("[A2AService] "))).toEqual([]);
  expect(lines.join("\n")).toContain("[A2AService] A2A client connected");
});

test("every client gets a question, and the first answer closes it for all clients [CLI-11, CLI-12, CLI-13, CLI-14]", async () => {
  await using live = await openLive();
  const { screen, workspace } = live;
  using ide = await live.join("IDE");
  using hand = openWscat(live.wsUrl);
  await screen.until("2 clients");

  // A socket answers a question of the terminal's prompt.
  await type(screen, "write one.txt: 1 then say one is done");
  const one = await ide.until(asksAbout("one.txt"));
  await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  ide.send(answer(one.tool_call_id, "proceed_once"));
  await screen.until("● one is done");
  expect(screen.text()).toContain("answered by [A2A] IDE: proceed_once");
  expect(screen.text()).not.toContain("Allow write_file?");

  // The terminal answers a question of a socket's prompt. A later answer of the socket is refused.
  await untilIdle(screen);
  ide.send(prompt("write two.txt: 2 then say two is done"));
  const two = await ide.until(asksAbout("two.txt"));
  await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  screen.type("1");
  await screen.until("● two is done");
  ide.send(answer(two.tool_call_id, "cancel", 7));
  const late = await ide.until((frame) => frame.id === 7);
  expect(late.error.code).toBe(-32050);
  expect(JSON.stringify(late.error)).toMatch(/terminal.*proceed_once|proceed_once.*terminal/);

  // wscat refuses a question.
  await untilIdle(screen);
  ide.send(prompt("write three.txt: 3"));
  const three = await hand.frame(asksAbout("three.txt"));
  await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  hand.type(JSON.stringify(answer(three.tool_call_id, "cancel")));
  await screen.until(/⊘ write_file[^\n]*three\.txt · cancelled/);

  expect(await workspace.read("one.txt")).toBe("1");
  expect(await workspace.read("two.txt")).toBe("2");
  await expect(workspace.read("three.txt")).rejects.toThrow("ENOENT");
});

test.each(["the terminal", "the socket"])(
  "exactly one of two simultaneous answers is accepted when %s sends first [CLI-14]",
  async (first) => {
    await using live = await openLive();
    const { screen, workspace } = live;
    using ide = await live.join("IDE");
    using other = await live.join("Other");
    await type(screen, "write race.txt: 1");
    const { tool_call_id } = await ide.until(asksAbout("race.txt"));
    await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);

    const acts = [() => screen.type(ENTER), () => ide.send(answer(tool_call_id, "cancel", 8))];
    for (const act of first === "the terminal" ? acts : acts.reverse()) act();

    const settled = await other.until(
      (frame) =>
        frame.tool_call_id === tool_call_id && /SUCCEEDED|CANCELLED/.test(String(frame.status)),
    );
    if (settled.status === "CANCELLED") {
      await screen.until("answered by [A2A] IDE: cancel");
      await expect(workspace.read("race.txt")).rejects.toThrow("ENOENT");
    } else {
      const beaten = await ide.until((frame) => frame.id === 8);
      expect(beaten.error.code).toBe(-32050);
      expect(await workspace.read("race.txt")).toBe("1");
    }
    // If the key came too late, it went to the input field. CTRL_U clears the field.
    screen.type(CTRL_U);
    await untilIdle(screen);
  },
);

test("a number key answers a question, and a later answer of a client is refused", async () => {
  await using live = await openLive();
  const { screen, workspace } = live;
  using ide = await live.join("IDE");
  await type(screen, "write pressed.txt: 1");
  const { tool_call_id } = await ide.until(asksAbout("pressed.txt"));
  await screen.until("› 1 Allow once");

  screen.type("2");
  await screen.until("› 2");
  ide.send(answer(tool_call_id, "cancel", 8));

  const beaten = await ide.until((frame) => frame.id === 8);
  expect(beaten.error).toMatchObject({ code: -32050 });
  expect(beaten.error.message).toContain("terminal");
  await screen.until("✓ write_file");
  expect(await workspace.read("pressed.txt")).toBe("1");
});

test("a prompt of a client that is named terminal is shown as a client's prompt", async () => {
  await using live = await openLive();
  const { screen } = live;
  using posing = await live.join("terminal");
  using ide = await live.join("IDE");

  posing.send(prompt("write posing.txt: 1"));
  await screen.until("[A2A] terminal (client) write posing.txt");
  const { tool_call_id } = await ide.until(asksAbout("posing.txt"));
  posing.send(answer(tool_call_id, "cancel", 1));
  await posing.until((frame) => frame.id === 1);
  ide.send(answer(tool_call_id, "proceed_once", 2));

  const { error } = await ide.until((frame) => frame.id === 2);
  expect(error.message).toContain("terminal (client)");
});

/** Upper bound of the bytes that the system buffers for a socket that is not read. */
const MAX_BUFFERED_BYTES = 5_000_000;

/**
 * The server drops a stalled client only after more than this time, because two pings, which are 30 s apart,
 * must stay unanswered first.
 */
const MIN_DROP_MS = 25_000;

test("a client that does not read delays no other client, and a disconnected one is not counted", async () => {
  await using live = await openLive();
  const { screen } = live;
  using hanging = await live.join("Hanging");
  using dying = await live.join("Dying");
  await screen.until("2 clients");

  hanging.ws.pause();
  const pausedAt = performance.now();
  dying.send(prompt("write never.txt: 1"));
  await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  dying.ws.terminate();
  await screen.until("1 client");
  screen.type("3");
  using ide = await live.join("IDE");
  // Sends more bytes than all buffers can store. The terminal shows only the titles of these thoughts.
  for (let sent = 0; sent < 3; sent += 1) ide.send(prompt(`think big: ${"x".repeat(1_000_000)}`));
  ide.send(prompt("chunks 3000 then say all said"));
  await ide.until((frame) => frame.content?.text?.endsWith("all said") && !frame.role);
  await type(screen, "say still here");
  await screen.until("● still here");

  // When the client reads again, it gets everything, unless the server dropped it for missed pings.
  const { length } = hanging.frames;
  hanging.ws.resume();
  const silentMs = performance.now() - pausedAt;
  const hasCaughtUp = await hanging.until(says("still here")).then(
    () => true,
    () => false,
  );
  const missed = JSON.stringify(hanging.frames.slice(length)).length;
  if (hasCaughtUp) expect(missed).toBeGreaterThan(MAX_BUFFERED_BYTES);
  else expect(silentMs).toBeGreaterThan(MIN_DROP_MS);
});

test("a terminal that does not read delays no client and later shows the current state", async () => {
  await using live = await openLive();
  const { screen } = live;
  using ide = await live.join("IDE");
  await screen.until("1 client");

  const resumeReading = screen.stall();
  ide.send(prompt("chunks 20000 then say all said"));
  await ide.until((frame) => frame.content?.text?.endsWith("all said") && !frame.role);
  ide.send(prompt("say and more"));
  await ide.until(says("and more"));
  expect(screen.text()).not.toContain("and more");
  resumeReading();

  await screen.until("● and more");
  await type(screen, "say well again");
  await screen.until("● well again");
});

test("a prompt of one megabyte from a client is shown folded, and the terminal stays usable", async () => {
  await using live = await openLive();
  const { screen } = live;
  using ide = await live.join("IDE");
  await screen.until("1 client");

  ide.send(prompt(`say ${"megabytes ".repeat(100_000)}`));
  ide.send(prompt("say small again"));
  await screen.until("● small again");
  expect(screen.history()).toContain("characters in all (Ctrl-O shows all)");
});

test("dt --yolo asks no question about a client's prompt [CLI-18]", async () => {
  await using live = await openLive(["--yolo"]);
  using ide = await live.join("IDE");

  ide.send(prompt("write free.txt: 1 then say written freely"));
  await live.screen.until("● written freely");

  expect(live.screen.text()).toContain("mode yolo");
  expect(await live.workspace.read("free.txt")).toBe("1");
});

test("dt attach shows history and questions, and can answer, prompt and run commands [CLI-17]", async () => {
  await using live = await openLive();
  const { screen, workspace, url } = live;
  await type(screen, "say earlier words");
  await screen.until("● earlier words");
  await type(screen, "write late.txt: proposed then say finished");
  await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);

  await using attached = openScreen({ cwd: workspace.root, args: ["attach", url], columns: 120 });
  const seen = await attached.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  expect(seen).toContain("> [terminal] say earlier words");
  expect(seen).toContain("● earlier words");
  attached.type("1");
  await screen.until("● finished");
  await attached.until("● finished");
  expect(screen.text()).toContain("answered by [A2A] dt-attach-");
  expect(await workspace.read("late.txt")).toBe("proposed");

  await type(attached, "say from the other side");
  await screen.until("● from the other side");
  await attached.until("● from the other side");
  expect(attached.text()).toContain("> say from the other side");
  await type(attached, "/mode");
  await attached.until("the mode is default");
  await type(screen, "say back again");
  await attached.until("● back again");
  await untilIdle(screen);
  screen.type(CTRL_D);
  expect(await screen.exited).toBe(0);
  await attached.until("the session has ended");
  attached.type("say lost\r");
  await attached.until(/> say lost\n[\s\S]*\nthe session has ended/);
  attached.type(`\x15${CTRL_D}`);
  expect(await attached.exited).toBe(0);
});

test("dt attach shows the prompts that it queues while the session is unreachable", async () => {
  await using live = await openLive();
  await using attached = openScreen({ cwd: live.workspace.root, args: ["attach", live.url] });
  await untilIdle(attached);

  await live.screen[Symbol.asyncDispose]();
  await attached.until("connection lost");
  attached.type("say later\r");

  await attached.until("waiting for the connection: say later");
});

test("dt prints one error line that mentions --a2a-port if the port is in use", async () => {
  await using live = await openLive();
  const { port } = new URL(live.url);
  const { root } = live.workspace;

  await using second = openScreen({ cwd: root, args: ["--a2a-port", port], columns: 200 });

  expect(await second.exited).toBe(2);
  expect(second.text()).toBe(
    `port ${port} on 127.0.0.1 is already in use; choose another port with --a2a-port; 0 picks a free port`,
  );
});

test("dt reports a misspelt variable with the correct name", async () => {
  await using workspace = await openTempWorkspace();
  const environment = { DT_MODLE: "offline" };

  await using screen = openScreen({ cwd: workspace.root, environment });

  await screen.until("warning: there is no variable DT_MODLE, did you mean DT_MODEL?");
});

test.each([
  [["--a2a-port", "70000"], "--a2a-port must be a number from 0 to 65535"],
  [["--a2a-port", "0", "--host", "0.0.0.0"], "plain http on 0.0.0.0"],
  [["attach"], "no agent runs on this machine"],
])(
  "the arguments %j cause one error line and exit code 2 [CLI-01, CLI-03]",
  async (args, message) => {
    await using workspace = await openTempWorkspace();
    await using screen = openScreen({ cwd: workspace.root, args, columns: 200 });

    expect(await screen.exited).toBe(2);
    expect(screen.text().split("\n")).toHaveLength(1);
    expect(screen.text()).toContain(message);
  },
);

test("dt exits with 2 and creates no session if the port is in use [CLI-01]", async () => {
  await using live = await openLive();
  const { port } = new URL(live.url);
  const cwd = live.workspace.root;
  await using second = openScreen({ cwd, args: ["--a2a-port", port], columns: 200 });

  expect(await second.exited).toBe(2);
  expect(second.text()).toContain(port);
  expect(second.text().split("\n")).toHaveLength(1);
  await using list = openScreen({ cwd, args: ["--list-sessions"] });
  expect(await list.exited).toBe(0);
  expect(list.text()).toBe("no sessions yet");
});
