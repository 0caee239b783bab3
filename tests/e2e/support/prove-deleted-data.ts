import { rm } from "node:fs/promises";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect } from "vitest";
import { openDataDir } from "./data-dir.js";
import { post } from "./raw-rpc.js";
import { startServerProcess } from "./server-process.js";

/**
 * Deletes the data directory of a running server and then prompts it repeatedly.
 *
 * Proves that every prompt is refused with the reason and that /health returns 503. Returns the number of
 * refused prompts.
 */
export async function proveDeletedData(count: number): Promise<number> {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  });
  const send = async (messageId: string) => {
    const parts = [{ kind: "text", text: "say hi" }];
    const message = { kind: "message", role: "user", messageId, parts };
    const response = await post(server.url, "message/send", { message });
    return (await response.json()) as { readonly result?: unknown; readonly error?: unknown };
  };
  const before = await send("before");
  expect(before).toMatchObject({ result: { status: { state: "completed" } } });
  expect((await fetch(`${server.url}health`)).status).toBe(200);

  await rm(data.directory, { recursive: true });
  const outcomes: unknown[] = [];
  for (let number = 0; number < count; number += 1) outcomes.push(await send(`after-${number}`));

  const refused = {
    error: { message: expect.stringContaining("was deleted while it was in use") },
  };
  for (const outcome of outcomes) expect(outcome).toMatchObject(refused);
  expect((await fetch(`${server.url}health`)).status).toBe(503);
  expect(await server.log("was deleted while it was in use")).toContain("the store has a fault");
  return outcomes.length;
}
