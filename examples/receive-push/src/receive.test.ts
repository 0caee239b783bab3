import { EventEmitter, once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { createAgentServer, openMemoryStore } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";
import { expect, test } from "vitest";
import { isGenuine } from "./is-genuine.js";
import { createReceiver } from "./receive.js";

test("the receiver gets the states of a task that the client does not wait for [RFC-03]", async () => {
  const states: string[] = [];
  const news = new EventEmitter();
  const completed = once(news, "TASK_STATE_COMPLETED");
  const receiver = createReceiver("a shared secret", (state) => {
    states.push(state);
    news.emit(state);
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const agent = await createAgentServer({
    store: openMemoryStore(),
    openAgent: createScriptedAgent(),
    workspaceRoots: [tmpdir()],
    defaultSettings: { workspacePath: tmpdir(), allowedTools: [], mcpServers: {} },
    push: { allowList: ["127.0.0.1"] },
  });

  await fetch(agent.url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: {
        message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] },
        configuration: {
          returnImmediately: true,
          taskPushNotificationConfig: {
            url: `http://127.0.0.1:${port}/`,
            authentication: { scheme: "HMAC", credentials: "a shared secret" },
          },
        },
      },
    }),
  });
  await completed;
  await agent.close();
  receiver.close();

  expect(states).toEqual(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
});

test("isGenuine refuses pushes with a wrong, old or unreadable signature", () => {
  const seconds = Math.floor(Date.now() / 1000);
  const mac = "0".repeat(64);

  for (const header of [`t=${seconds},v1=${mac}`, `t=1,v1=${mac}`, `t=${seconds},v1=0`, "x", ""]) {
    expect(isGenuine(header, "body", "key")).toBe(false);
  }
});
