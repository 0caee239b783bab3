// Runs a live session without a screen, in a process that tests can kill. Its argument is JSON with options.
import path from "node:path";
import { openAgentSession } from "@dt/agent-core";
import { openLiveSession, openSqliteStore, SetupError } from "@dt/server";

const { directory, workspacePath, contextId } = JSON.parse(process.argv[2]);
const store = openSqliteStore({ file: path.join(directory, "dt.db"), isShared: true });

try {
  const live = await openLiveSession({
    store,
    settings: { workspacePath, allowedTools: [], mcpServers: {} },
    ...(contextId !== undefined && { contextId }),
    openAgent: ({ settings, ...options }) =>
      openAgentSession({
        ...options,
        workspacePath: settings.workspacePath,
        home: directory,
        environment: { PATH: process.env.PATH, DT_MODEL: "offline" },
        dataDirectory: path.join(directory, "data"),
      }),
  });
  const server = await live.serve();
  console.log(JSON.stringify({ url: server.url, contextId: live.contextId }));
} catch (error) {
  await store.close();
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
