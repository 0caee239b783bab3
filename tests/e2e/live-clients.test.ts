import { expect, test } from "vitest";
import { isIdle, openLiveStage } from "./support/open-live-stage.js";
import { openWsClient, type WsClient } from "./ws-client.js";

const URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

const agentTexts = (client: WsClient) =>
  client.frames.filter((frame) => frame.kind === "TEXT_CONTENT" && frame.role === undefined);

/** Opens an SSE subscription whose `until` waits for a text. */
async function openSubscription(url: string, taskId: string) {
  const abort = new AbortController();
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-A2A-Extensions": URI },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tasks/resubscribe",
      params: { id: taskId },
    }),
    signal: abort.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async until(part: string): Promise<void> {
      while (!text.includes(part)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended before ${part}`);
        text += value;
      }
    },
    leave: () => abort.abort(),
  };
}

test("a client that no longer reads does not delay other clients, and later gets every event [LOG-04]", async () => {
  await using stage = await openLiveStage();
  using hanging = await openWsClient(stage.wsUrl, { protocol: "" });
  using reading = await openWsClient(stage.wsUrl, { protocol: "" });
  hanging.ws.pause();

  await stage.type("chunks 20000 then say the end");
  await reading.until((frame) => frame.content?.text.endsWith("the end") && !frame.role);
  const missed = agentTexts(hanging).length;
  hanging.ws.resume();
  await hanging.until((frame) => frame.content?.text.endsWith("the end") && !frame.role);

  expect(missed).toBeLessThan(20_000);
  expect(hanging.frames).toEqual(reading.frames);
  expect(stage.faults).toEqual([]);
});

test("a question can be answered by another client after the prompting client has left [CLI-13]", async () => {
  await using stage = await openLiveStage();
  const dying = await openWsClient(stage.wsUrl, { protocol: "" });
  dying.send({
    jsonrpc: "2.0",
    method: "message/stream",
    params: { message: { content: { text: "write a.txt: hi" } } },
  });
  const { tool_call_id } = await dying.until((frame) => frame.status === "PENDING");

  dying.ws.terminate();
  await dying.closed;
  const verdict = await stage.answer(tool_call_id, "proceed_once");
  const settled = await stage.until((event) => "answer" in event && event.answer !== undefined);
  await stage.until(isIdle, settled.cursor);

  expect(verdict.accepted).toBe(true);
  expect(await stage.workspace.read("a.txt")).toBe("hi");
  expect(stage.faults).toEqual([]);
});

test("a hundred clients receive the same events, even if half of them disconnect [CLI-05, LOG-04]", async () => {
  const counts: number[] = [];
  let onCount = (_count: number) => {};
  await using stage = await openLiveStage({
    server: {
      onClientsChange(count) {
        counts.push(count);
        onCount(count);
      },
    },
  });
  const { taskId } = stage.live;
  const guides = await Promise.all(
    Array.from({ length: 40 }, () => openWsClient(stage.wsUrl, { protocol: "" })),
  );
  const canonical = await Promise.all(Array.from({ length: 40 }, () => openWsClient(stage.wsUrl)));
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => openSubscription(stage.url, taskId)),
  );
  expect(stage.server.countClients()).toBe(100);

  await stage.type("chunks 300 then say the end");
  await Promise.all([
    ...guides.map((client) =>
      client.until((frame) => frame.content?.text.endsWith("the end") && !frame.role),
    ),
    ...canonical.map((client) =>
      client.until((frame) => JSON.stringify(frame).includes('the end"')),
    ),
    ...streams.map((stream) => stream.until('the end"')),
  ]);

  const [first] = guides;
  expect(guides.every((client) => client.frames.length === first?.frames.length)).toBe(true);
  expect(agentTexts(guides[39]!)).toEqual(agentTexts(first!));
  const half = new Promise<void>((resolve) => {
    onCount = (count) => count === 50 && resolve();
  });
  for (const { ws } of [...guides.slice(0, 20), ...canonical.slice(0, 20)]) ws.terminate();
  for (const stream of streams.slice(0, 10)) stream.leave();
  await half;
  await stage.type("say still here");
  await guides[39]!.until((frame) => frame.content?.text === "still here");

  expect(stage.server.countClients()).toBe(50);
  expect(Math.max(...counts)).toBe(100);
  expect(stage.faults).toEqual([]);
});
