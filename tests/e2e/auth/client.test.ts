import { SetupError } from "@dt/client";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "../support/open-stage.js";

const REQUIRED = { server: { isAuthRequired: true } } as const;

test.for(["sse", "websocket"] as const)(
  "connect over %s without a valid token rejects with an error about the token",
  async (transport) => {
    await using stage = await openStage(REQUIRED);
    const wrong = `dt_0123456789abcdef_${"x".repeat(43)}`;

    const nobody = stage.connect({ transport, WebSocket });
    await expect(nobody).rejects.toThrow(SetupError);
    await expect(nobody).rejects.toThrow("requires authentication; send a token");
    const other = stage.connect({ transport, WebSocket, token: wrong });
    await expect(other).rejects.toThrow("the token is not valid");
  },
);

test.for(["sse", "websocket"] as const)(
  "a client over %s fetches another token after its token was revoked, and loses no event",
  async (transport) => {
    await using stage = await openStage(REQUIRED);
    let token = await stage.token("ada", { name: "old" });
    const fresh = await stage.token("ada", { name: "new" });
    const asked: boolean[] = [];
    const client = await stage.connect({
      transport,
      WebSocket,
      token: ({ wasRefused }) => {
        asked.push(wasRefused);
        if (wasRefused) token = fresh;
        return token;
      },
      reconnect: { baseMs: 1 },
    });
    const task = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "write a.txt: hi",
    });
    const statuses: string[] = [];
    let answering: Promise<unknown> | undefined;
    for await (const event of task.events()) {
      const question = event.kind === "TOOL_CALL_UPDATE" ? event.toolCall : undefined;
      if (question === undefined) continue;
      statuses.push(question.status);
      if (question.status !== "PENDING") continue;
      answering ??= (async () => {
        await stage.revoke("ada", "old");
        await expect.poll(() => asked.includes(true), { timeout: 60_000 }).toBe(true);
        await task.answer(question, "proceed_once");
      })();
    }
    await answering;

    expect(token).toBe(fresh);
    expect(statuses).toEqual(["PENDING", "EXECUTING", "SUCCEEDED"]);
    expect(await stage.workspace.read("a.txt")).toBe("hi");
  },
);

test("if a client has a fixed token, its loop over events fails when the token is revoked", async () => {
  await using stage = await openStage(REQUIRED);
  const token = await stage.token("ada", { name: "old" });
  const client = await stage.connect({ transport: "sse", token });
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi",
  });

  const failed = (async () => {
    for await (const event of task.events()) {
      if (event.kind === "STATE_CHANGE" && event.state === "input-required")
        await stage.revoke("ada", "old");
    }
  })();

  await expect(failed).rejects.toMatchObject({ reason: "refused", status: 401 });
});
