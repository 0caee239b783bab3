import { expect, test } from "vitest";
import type { SessionEvent } from "../index.js";
import { createFakeAgent } from "../testing/index.js";
import { DEFAULT_QUEUE_BOUNDS } from "./frame-queue.js";

test("a loop that is slower than its socket loses no event, and its buffer is bounded [LOG-04]", async () => {
  const count = 3 * DEFAULT_QUEUE_BOUNDS.maxFrames;
  const agent = createFakeAgent({
    script: async (turn) => {
      for (let index = 0; index < count; index += 1) turn.say(`${index} `);
    },
  });
  const subscriptions: string[] = [];
  let fellBehind = () => {};
  const behind = new Promise<void>((resolve) => {
    fellBehind = resolve;
  });
  class CountingSocket extends agent.WebSocket {
    override send(text: string): void {
      if (text.includes("session/subscribe")) subscriptions.push(text);
      // The client's buffer is full, so the client cancels the stream.
      if (subscriptions.length > 0 && text.includes("$/cancel")) fellBehind();
      super.send(text);
    }
  }
  const client = await agent.connect({ transport: "websocket", WebSocket: CountingSocket });
  const states: string[] = [];
  client.onConnectionChange(({ status }) => states.push(status));
  const task = await client.startTask({ workspacePath: "/work", prompt: "count" });
  const seen: SessionEvent[] = [];

  for await (const event of task.events()) {
    seen.push(event);
    if (seen.length === 1) await behind;
  }

  const texts = seen.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
  expect(texts).toEqual(Array.from({ length: count }, (_, index) => `${index} `));
  // The loop lagged and continued from its cursor. The client does not report that as a break.
  expect(subscriptions.length).toBeGreaterThan(1);
  expect(states).toEqual([]);
});

test("many requests share one socket", async () => {
  const agent = createFakeAgent();
  let sockets = 0;
  class CountingSocket extends agent.WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols);
      sockets += 1;
    }
  }
  const client = await agent.connect({ transport: "websocket", WebSocket: CountingSocket });
  const prompts = ["a", "b", "c"];
  const tasks = await Promise.all(
    prompts.map((prompt) => client.startTask({ workspacePath: "/work", prompt })),
  );

  const texts = await Promise.all(
    tasks.map(async (task) => {
      for await (const event of task.events()) if (event.kind === "TEXT_CONTENT") return event.text;
      return "";
    }),
  );

  expect(texts).toEqual(prompts);
  expect(sockets).toBe(1);
});

test("a socket that is silent is replaced by a new one [LOG-02]", async () => {
  const agent = createFakeAgent();
  const sockets: StallingSocket[] = [];
  /** The first socket of this class drops its first subscription and every frame after that. */
  class StallingSocket extends agent.WebSocket {
    isStalled = false;
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols);
      sockets.push(this);
    }
    override send(text: string): void {
      if (sockets.length === 1 && text.includes("session/subscribe")) this.isStalled = true;
      if (!this.isStalled) super.send(text);
    }
  }
  const client = await agent.connect({
    transport: "websocket",
    WebSocket: StallingSocket,
    silenceMs: 900,
    reconnect: { baseMs: 1, maxMs: 5 },
  });
  const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
  const texts: string[] = [];

  for await (const event of task.events())
    if (event.kind === "TEXT_CONTENT") texts.push(event.text);

  expect(texts).toEqual(["hi"]);
  expect(sockets).toHaveLength(2);
});

test("a socket without events stays open while the agent answers pings", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const agent = createFakeAgent({
    script: async (turn) => {
      await released;
      turn.say("late");
    },
  });
  const pings: string[] = [];
  let sockets = 0;
  class CountingSocket extends agent.WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols);
      sockets += 1;
    }
    override send(text: string): void {
      super.send(text);
      if (!text.includes("$/ping")) return;
      pings.push(text);
      // Six pings take longer than the allowed silence.
      if (pings.length === 6) release();
    }
  }
  const client = await agent.connect({
    transport: "websocket",
    WebSocket: CountingSocket,
    silenceMs: 900,
  });
  const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
  const texts: string[] = [];

  for await (const event of task.events())
    if (event.kind === "TEXT_CONTENT") texts.push(event.text);

  expect(texts).toEqual(["late"]);
  expect(sockets).toBe(1);
});

test("a prompt over the agent's limit is refused, sent once, and affects no other stream", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const agent = createFakeAgent({
    script: async (turn) => {
      await released;
      turn.say("done");
    },
  });
  const large: number[] = [];
  /** Closes with 1009 on a frame that is too long, as servers do. */
  class BoundedSocket extends agent.WebSocket {
    override send(text: string): void {
      if (text.length < 5_000) {
        super.send(text);
        return;
      }
      large.push(text.length);
      this.close(1009);
    }
  }
  const client = await agent.connect({
    transport: "websocket",
    WebSocket: BoundedSocket,
    reconnect: { baseMs: 1, maxMs: 5 },
  });
  const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
  const texts: string[] = [];
  const reading = (async () => {
    for await (const event of task.events())
      if (event.kind === "TEXT_CONTENT") texts.push(event.text);
  })();

  const prompting = task.prompt("x".repeat(10_000));

  await expect(prompting).rejects.toMatchObject({ name: "ProtocolError", code: "too-large" });
  release();
  await reading;
  expect(texts).toEqual(["done"]);
  expect(large).toHaveLength(1);
});

test("a refused token is fetched again once, when connecting and later", async () => {
  const agent = createFakeAgent({ token: "new" });
  const refusedFlags: boolean[] = [];
  let isExpired = true;
  const client = await agent.connect({
    transport: "websocket",
    reconnect: { baseMs: 1, maxMs: 5 },
    token({ wasRefused }) {
      refusedFlags.push(wasRefused);
      return wasRefused || !isExpired ? "new" : "old";
    },
  });
  const atConnect = refusedFlags.splice(0);
  isExpired = false;
  const task = await client.startTask({ workspacePath: "/work", prompt: "one" });
  isExpired = true;

  agent.network.cut();
  await task.prompt("two");

  // The token is fetched for the card, the socket, the HTTP request that finds out why the socket did not
  // open, the retry of that request, and the next socket.
  expect(atConnect).toEqual([false, false, false, true, true]);
  expect(refusedFlags).toEqual([false, false, true, true]);
});
