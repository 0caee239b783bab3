import { createLogger } from "@dt/server";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { openWsClient } from "./ws-client.js";

/** Opens a stage that collects the log lines of its server. */
async function openLoggedStage(options: Parameters<typeof openStage>[0] = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const logger = createLogger({ level: "debug", write });
  const stage = await openStage({ ...options, server: { ...options.server, logger } });
  const wsUrl = `${stage.url.replace("http", "ws")}ws`;
  /** Waits until the log has this number of lines about requests, and returns them. */
  const calls = async (count: number) => {
    const found = () => lines.filter(({ msg }) => msg === "request");
    await expect.poll(() => found().length).toBe(count);
    return found();
  };
  return { ...stage, lines, wsUrl, calls };
}

const message = (text: string) => ({
  message: { role: "ROLE_USER", messageId: "m1", parts: [{ text }] },
});

test("each request on a socket is logged with its ids, user, method and outcome [SRV-13]", async () => {
  await using stage = await openLoggedStage();
  using client = await openWsClient(stage.wsUrl);

  client.send({
    jsonrpc: "2.0",
    id: 1,
    method: "SendStreamingMessage",
    params: message("say hi secret-words"),
  });
  await client.stream(1);
  client.send({ jsonrpc: "2.0", id: 2, method: "GetTask", params: { id: "nobody" } });
  await client.until(({ id }) => id === 2);
  client.send({ jsonrpc: "2.0", id: 3 });
  await client.until(({ id }) => id === 3);
  const [streamed, unknown, unreadable] = await stage.calls(3);
  client.ws.close();
  await expect.poll(() => stage.lines.at(-1)?.msg).toBe("A2A client disconnected");

  const connection = { connectionId: expect.any(String), user: "local" };
  const call = { ...connection, requestId: expect.any(String), path: "/ws" };
  const task = { taskId: expect.any(String), contextId: expect.any(String) };
  const ms = expect.any(Number);
  expect(streamed).toMatchObject({
    ...call,
    ...task,
    method: "SendStreamingMessage",
    outcome: "ok",
    ms,
  });
  expect(unknown).toMatchObject({ ...call, method: "GetTask", outcome: "task-not-found", ms });
  expect(unknown).not.toHaveProperty("taskId");
  expect(unreadable).toMatchObject({ ...call, outcome: "invalid-request" });
  const ends = stage.lines.filter(({ msg }) => String(msg).startsWith("A2A client"));
  expect(ends).toMatchObject([connection, connection]);
  expect(new Set(stage.lines.map(({ connectionId }) => connectionId).filter(Boolean)).size).toBe(1);
  expect(new Set([streamed, unknown, unreadable].map((line) => line?.requestId)).size).toBe(3);
  expect(JSON.stringify(stage.lines)).not.toContain("secret-words");
});

test("a fault on a socket is logged with the ids of its request; a refused upgrade is logged too [SRV-13]", async () => {
  const openAgent = async () => {
    throw new Error("no agent today");
  };
  await using stage = await openLoggedStage({ server: { openAgent } });
  for (const protocol of ["a2a.v1", ""]) {
    using client = await openWsClient(stage.wsUrl, { protocol });
    const method = protocol === "" ? "message/stream" : "SendMessage";
    const params =
      protocol === "" ? { message: { content: { text: "say hi" } } } : message("say hi");
    client.send({ jsonrpc: "2.0", id: 1, method, params });
    await client.until(({ error }) => error !== undefined);
  }
  const refused = await openWsClient(stage.wsUrl, { origin: "https://evil.test" }).catch(
    ({ message: reason }: Error) => reason,
  );

  const calls = await stage.calls(3);

  const faults = stage.lines.filter(({ level }) => level === "error");
  expect(faults.length).toBeGreaterThan(0);
  for (const fault of faults) {
    expect(fault).toMatchObject({
      connectionId: expect.any(String),
      requestId: expect.any(String),
      user: "local",
    });
  }
  expect(calls.map(({ method, outcome }) => [method, outcome])).toEqual([
    ["SendMessage", "internal"],
    ["message/stream", "internal"],
    ["upgrade", "forbidden"],
  ]);
  expect(refused).toContain("403");
});
