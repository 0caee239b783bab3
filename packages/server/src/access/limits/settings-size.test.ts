import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openTestServer } from "../../testing/open-test-server.js";

test("a session with very large settings is not created, and smaller ones are kept [SEC-09]", async () => {
  await using server = await openTestServer();
  const send = async (count: number): Promise<unknown> => {
    const settings = {
      workspace_path: server.workspacePath,
      allowed_tools: Array.from({ length: count }, (_, at) => `tool-${at}`),
    };
    const message = {
      kind: "message",
      role: "user",
      messageId: randomUUID(),
      parts: [{ kind: "text", text: "hi" }],
      metadata: { [DEVELOPMENT_TOOL_URI]: settings },
    };
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
    });
    return await response.json();
  };

  expect(await send(15_000)).toMatchObject({ result: { kind: "task" } });
  expect(await send(25_000)).toMatchObject({
    error: {
      code: -32602,
      message:
        "the settings of a session have at most 262144 bytes; name fewer tools and MCP servers",
    },
  });
});
