import { randomUUID } from "node:crypto";
import path from "node:path";
import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openWorkspace,
} from "@dt/agent-core";
import type { SessionEvent } from "@dt/schema";
import { openLiveSession, openSqliteStore } from "@dt/server";

/** Opens one live session, as a terminal does, and serves it to other clients. */
export async function share(
  dataDir: string,
  workspacePath: string,
  show: (event: SessionEvent, url: string) => Promise<void>,
): Promise<void> {
  const store = openSqliteStore({ file: path.join(dataDir, "sessions.db"), isShared: true });
  const live = await openLiveSession({
    store,
    settings: { workspacePath, allowedTools: [], mcpServers: {} },
    openAgent: async ({ settings, ...session }) =>
      await createSession({
        engine: createModelEngine({
          model: createOfflineModel(),
          tools: fileTools,
          workspace: await openWorkspace(settings.workspacePath),
        }),
        ...session,
      }),
  });
  const { url } = await live.serve({ port: 0 });
  const { cursor = "" } = await live.view();
  const { taskId } = live;
  const parts = [{ type: "text", text: "say hello" }] as const;
  const you = { user: "terminal", name: "you", role: "admin" } as const;
  await live.agent.prompt({ messageId: randomUUID(), taskId, parts }, you);
  for await (const events of live.events({ after: cursor })) {
    for (const event of events) await show(event, url);
    if (events.at(-1)?.state === "input-required") break;
  }
  await live.close();
  await store.close();
}
