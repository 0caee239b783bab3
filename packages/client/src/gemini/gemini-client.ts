import type { ExtensionUris, JsonObject, Origin } from "@dt/schema";
import { SetupError } from "@dt/schema";
import { GEMINI_SPELLING } from "@dt/schema/gemini";
import type { A2aVersion } from "@dt/schema/wire";
import type { Credentials } from "../access/credentials.js";
import type { AgentClient } from "../agent-client.js";
import { checkCommandPath } from "../commands/command-run.js";
import { createAgentClient } from "../create-agent-client.js";
import { loadPushConfigs } from "../push/load-push-configs.js";
import type { Attempts } from "../task/channel/attempts.js";
import type { ConnectionMonitor } from "../task/connection-monitor.js";
import { createTaskHandle } from "../task/create-task-handle.js";
import { createHttpTransport } from "../transport/http-transport.js";
import type { WallClock } from "../transport/wall-clock.js";
import { createGeminiChannel } from "./gemini-channel.js";

/** Dependencies of a client of gemini-cli's server. */
export interface GeminiClientOptions {
  readonly card: JsonObject;
  /** Address at which the card was found; the address in the card may be wrong. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly uris: ExtensionUris;
  readonly attempts: Attempts;
  readonly closing: AbortController;
  readonly monitor: ConnectionMonitor;
  readonly origin: Origin;
  readonly now: WallClock;
  /** Version and transport that the caller wants. The server offers only one version and one transport. */
  readonly wanted: { readonly version?: A2aVersion; readonly transport?: string };
}

/** Creates a client of gemini-cli's own a2a-server, with the same interface as any other client. */
export function createGeminiClient(options: GeminiClientOptions): AgentClient {
  checkWanted(options.wanted);
  const { card, closing, monitor } = options;
  const transport = createHttpTransport(options);
  const channel = createGeminiChannel({ ...options, transport, closing: closing.signal });
  // Requests that the peer does not support, such as requests for lists and push configs, are sent all the
  // same. The peer refuses them.
  const conversation = { ...options, transport, spelling: GEMINI_SPELLING };
  const base = createAgentClient({
    card,
    conversation,
    channel,
    transport: "sse",
    closing,
    monitor,
  });
  const handleParts = {
    channel,
    closing: closing.signal,
    pushOf: (taskId: () => string) => loadPushConfigs(conversation, taskId),
  };

  return {
    ...base,
    // This property is a getter, because a copy of the state would never change.
    get connection() {
      return base.connection;
    },
    commands: async ({ signal } = {}) => await channel.commands(signal),
    async run(path, args = "", { signal } = {}) {
      checkCommandPath(path);
      const { status, message, view } = await channel.run(path, args, signal);
      const task = view && createTaskHandle(handleParts, view);
      return { status, message, task, events: (wanted) => task?.events(wanted) ?? nothing() };
    },
  };
}

function checkWanted({ version, transport }: GeminiClientOptions["wanted"]): void {
  const spoken = GEMINI_SPELLING.version;
  if (version !== undefined && version !== spoken) {
    throw new SetupError(`gemini-cli's server only speaks A2A ${spoken}; leave out \`version\``);
  }
  if (transport === "websocket") {
    throw new SetupError('gemini-cli\'s server has no WebSocket; use transport: "sse"');
  }
}

async function* nothing(): AsyncGenerator<never, void, undefined> {}
