import type { Caller } from "@dt/schema";
import { guideDialect } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { openSessionRegistry } from "../sessions/session-registry.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createScriptedAgent } from "../testing/fake-agent.js";
import { sendSessionEvents } from "./send-session-events.js";
import type { SocketConnection } from "./socket-connection.js";

test("a socket is closed with the code 1012 if its session closes", async () => {
  const sessions = openSessionRegistry({
    openAgent: createScriptedAgent(),
    store: openMemoryStore(),
  });
  const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
  const alice: Caller = { user: "alice", name: "Alice", role: "admin" };
  const host = await sessions.createSession({ contextId: "c", settings }, alice);
  const closed: [number, string][] = [];
  const connection: SocketConnection = {
    signal: new AbortController().signal,
    send: () => undefined,
    close: (code, reason) => closed.push([code, reason]),
    terminate: () => {},
  };

  const sending = sendSessionEvents(connection, {
    session: { host, taskId: "t" },
    services: {},
    dialect: guideDialect,
  });
  await host.close();
  await sending;
  await sessions.close();

  expect(closed).toEqual([[1012, "the session was closed; connect again"]]);
});
