import { randomUUID } from "node:crypto";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { viewOf } from "./view-of.js";

test("the frames of a stream fold into the view of its task", async () => {
  await using server = await openTestServer({ openAgent: createScriptedAgent() });
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "hello" }] };

  const response = await fetch(server.url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "SendStreamingMessage",
      params: { message },
    }),
  });
  const frames = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data = ""]) => JSON.parse(data).result,
  );

  expect(viewOf(frames)).toMatchObject({ state: "completed" });
});
