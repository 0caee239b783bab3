import { once } from "node:events";
import { openLiveSession, openMemoryStore } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";
import { expect, test } from "vitest";
import { runHeadless } from "./run-headless.js";

test("leaving dt while a prompt is sent cancels the turn of the prompt [CLI-02]", async () => {
  let isCancelled = false;
  const live = await openLiveSession({
    store: openMemoryStore(),
    openAgent: createScriptedAgent(async ({ signal }) => {
      await once(signal, "abort");
      isCancelled = true;
    }),
    settings: { workspacePath: "/work", allowedTools: [], mcpServers: {} },
  });
  const leaving = new AbortController();
  const agent: typeof live.agent = {
    ...live.agent,
    async prompt(request, caller) {
      const ticket = await live.agent.prompt(request, caller);
      leaving.abort();
      return ticket;
    },
  };

  await runHeadless(
    { live: { ...live, agent } },
    { text: "wait", piped: undefined },
    { print: () => {}, note: () => {}, ask: undefined },
    { output: "text", directory: "/work", signal: leaving.signal },
  );

  expect(isCancelled).toBe(true);
  await live.close();
});
