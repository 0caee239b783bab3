import { randomUUID } from "node:crypto";
import { SendMessageRequest, Task } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { reviewExecutor } from "./review-executor.js";
import { serveExecutor } from "./serve-executor.js";

test("the official client gets the artifacts and the states of an executor [SRV-07]", async () => {
  await using data = await openTempWorkspace();
  const server = await serveExecutor(reviewExecutor, 0, data.root);
  const client = await new ClientFactory().createFromUrl(server.url);
  const send = async (text: string, ids: object = {}) => {
    const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...ids };
    const sent = await client.sendMessage(SendMessageRequest.fromJSON({ message }));
    return Task.toJSON(sent as Task) as Record<string, string>;
  };

  const asked = await send("review");
  const done = await send("main.ts", { taskId: asked.id, contextId: asked.contextId });
  const rejected = await send("write a poem");
  const locked = await send("private.ts");
  const card = await client.getAgentCard();
  await server.close();

  expect(card).toMatchObject({ name: "Reviewer", skills: [{ id: "review" }] });
  expect(asked.status).toMatchObject({
    state: "TASK_STATE_INPUT_REQUIRED",
    message: { parts: [{ text: "Which file?" }] },
  });
  expect(done).toMatchObject({
    id: asked.id,
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [
      { name: "review.md", parts: [{ text: "# Review\nmain.ts is fine." }] },
      { name: "findings", parts: [{ data: { file: "main.ts", findings: [] } }] },
      { name: "answer", parts: [{ text: "Reading main.ts.\n\nDone." }] },
    ],
  });
  expect(rejected.status).toMatchObject({ state: "TASK_STATE_REJECTED" });
  expect(locked.status).toMatchObject({ state: "TASK_STATE_AUTH_REQUIRED" });
});
