import type { McpServer } from "@dt/client";
import type { EditorContext } from "./editor-context.js";
import { openToolsServer, type ToolsAddress, type ToolsServer } from "./open-tools-server.js";

/** The tools of the editor, as an MCP server that starts when a conversation needs it. */
export interface EditorTools {
  /** Starts the server; resolves with the MCP servers that a new task names. */
  open(): Promise<{ [name: string]: McpServer }>;
  /**
   * Starts the server at its earlier address, for a conversation that began before the window was reloaded.
   * Resolves with false if that conversation can no longer reach the server.
   */
  resume(): Promise<boolean>;
  close(): void;
}

/** Stores a secret text across a reload of the window. */
export interface SecretMemory {
  load(): PromiseLike<string | undefined>;
  save(text: string): PromiseLike<void>;
}

/** Options of {@link createEditorTools}. */
export interface EditorToolsOptions {
  readonly context: EditorContext;
  /** Stores the address and the token. */
  readonly memory: SecretMemory;
  /** True if the agent can reach this machine's loopback. */
  isReachable(): boolean;
}

/** Creates the tools. Nothing is served yet. */
export function createEditorTools({
  context,
  memory,
  isReachable,
}: EditorToolsOptions): EditorTools {
  let opening: Promise<ToolsServer> | undefined;
  let isClosed = false;

  function serve(earlier?: ToolsAddress): Promise<ToolsServer> {
    opening ??= start(earlier).catch((reason: unknown) => {
      opening = undefined;
      throw reason;
    });
    return opening;
  }

  async function start(earlier: ToolsAddress | undefined): Promise<ToolsServer> {
    const server = await openToolsServer(context, earlier);
    if (isClosed) server.close();
    await memory.save(JSON.stringify(server.address));
    return server;
  }

  return {
    async open() {
      return isReachable() ? { editor: (await serve()).named } : {};
    },
    async resume() {
      const earlier = parseAddress(await memory.load());
      if (earlier === undefined || !isReachable()) return true;
      const { address } = await serve(earlier);
      return address.port === earlier.port && address.token === earlier.token;
    },
    close() {
      isClosed = true;
      void opening?.then((server) => server.close()).catch(() => {});
    },
  };
}

function parseAddress(text: string | undefined): ToolsAddress | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}
