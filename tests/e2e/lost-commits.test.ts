import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { createModelEngine, createSession, type Model, openWorkspace } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { createAgentServer, openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openDataDir } from "./support/data-dir.js";
import { watchTask } from "./support/watch-task.js";

/** Creates a model that sends "one", waits for `go`, sends "two", and never ends. */
function createStuckModel() {
  const gate = new EventTarget();
  const model: Model = {
    name: "stuck",
    async *stream({ signal }) {
      const released = once(gate, "go", { signal });
      yield { type: "text", text: "one" };
      await released;
      yield { type: "text", text: "two" };
      await once(gate, "never", { signal });
    },
  };
  return { model, go: () => void gate.dispatchEvent(new Event("go")) };
}

/**
 * Copies the files of a store. Commits that follow are missing in the copy, as on a disk after a power
 * failure.
 */
async function copyStore(file: string, copy: string): Promise<void> {
  for (const suffix of ["", "-wal"]) await copyFile(`${file}${suffix}`, `${copy}${suffix}`);
}

test.each(["sse", "websocket"] as const)(
  "a client loads a snapshot over %s if the server lost its last events [LOG-02, LOG-06]",
  async (transport) => {
    await using data = await openDataDir();
    await using workspace = await openTempWorkspace();
    const file = path.join(data.directory, "dt.db");
    const copy = path.join(data.directory, "copy.db");
    const { model, go } = createStuckModel();
    const start = (port: number, opened: string) =>
      createAgentServer({
        port,
        store: openSqliteStore({ file: opened }),
        workspaceRoots: [workspace.root],
        defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
        openAgent: async ({ settings, ...session }) =>
          await createSession({
            engine: createModelEngine({
              model,
              tools: [],
              workspace: await openWorkspace(settings.workspacePath),
            }),
            ...session,
          }),
      });
    const before = await start(0, file);
    const client = await connect(before.url, { transport, WebSocket });
    const task = await client.startTask({ workspacePath: workspace.root, prompt: "count" });
    const watched = watchTask(task);
    await watched.until((event) => event.kind === "TEXT_CONTENT" && event.text === "one");
    await copyStore(file, copy);
    go();
    const lost = await watched.until(
      (event) => event.kind === "TEXT_CONTENT" && event.text === "two",
    );

    await before.close();
    const after = await start(before.port, copy);
    await watched.done;
    const other = await connect(after.url, { transport, WebSocket });
    const stored = (await other.openTask(task.taskId)).view();

    expect(lost.cursor).toBeDefined();
    expect(task.view().state).toBe("failed");
    expect(task.view().error).toContain("interrupted");
    expect(stored).toMatchObject({ state: "failed", cursor: task.view().cursor });
    const texts = stored.items.flatMap(({ event }) =>
      event.kind === "TEXT_CONTENT" ? event.text : [],
    );
    expect(texts).toEqual(["one"]);
    client.close();
    other.close();
    await after.close();
  },
);
