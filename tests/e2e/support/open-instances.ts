import { openTempWorkspace } from "@dt/agent-core/testing";
import { type AgentClient, type ConnectOptions, connect } from "@dt/client";
import { openDatabase } from "@dt/tooling/postgres";
import { openDataDir } from "./data-dir.js";
import { type ServerProcess, startServerProcess } from "./server-process.js";

/** One dt-server on the shared database, and a client of it. */
export interface InstanceUnderTest {
  readonly server: ServerProcess;
  readonly client: AgentClient;
}

/** Opens an empty database and a workspace, on which dt-server processes can be started. */
export async function openInstances(variables: Readonly<Record<string, string>> = {}) {
  // Later entries are closed first.
  const closing: (() => unknown)[] = [];
  const use = <TResource extends AsyncDisposable>(resource: TResource): TResource => {
    closing.unshift(() => resource[Symbol.asyncDispose]());
    return resource;
  };
  const database = use(await openDatabase());
  const workspace = use(await openTempWorkspace());

  /** Starts a process with a data directory of its own, as on another machine. */
  async function start(
    more: Readonly<Record<string, string>> = {},
    options: ConnectOptions = {},
  ): Promise<InstanceUnderTest> {
    const data = use(await openDataDir());
    const server = use(
      await startServerProcess({
        DT_DATA_DIR: data.directory,
        DT_WORKSPACE_ROOTS: workspace.root,
        DT_STORE: database.url,
        CODER_AGENT_PORT: "0",
        ...variables,
        ...more,
      }),
    );
    const client = await connect(server.url, { reconnect: { baseMs: 20, maxMs: 200 }, ...options });
    closing.unshift(() => client.close());
    return { server, client };
  }

  return {
    database,
    workspace,
    start,
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
    },
  };
}
