import { expect, test } from "vitest";
import { createAgentServer } from "./create-agent-server.js";
import { openMemoryStore } from "./store/memory/open-memory-store.js";
import { createScriptedAgent } from "./testing/fake-agent.js";

test.each([
  ["an invalid push address", { push: { allowList: ["a b"] } }, /DT_PUSH_ALLOW/],
  ["a public host without authentication", { host: "0.0.0.0" }, /0\.0\.0\.0/],
])("a server that cannot start because of %s closes its store", async (_, options, message) => {
  const store = openMemoryStore();
  const given = {
    openAgent: createScriptedAgent(),
    workspaceRoots: ["/work"],
    defaultSettings: { workspacePath: "/work", allowedTools: [], mcpServers: {} },
  };

  await expect(createAgentServer({ ...given, store, ...options })).rejects.toThrow(message);

  await expect(store.check()).rejects.toThrow("the store is closed");
});
