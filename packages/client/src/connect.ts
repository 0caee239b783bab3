import {
  type AgentSettings,
  defaultExtensionUris,
  type ExtensionUris,
  findExtension,
  type JsonObject,
} from "@dt/schema";
import { type A2aVersion, isGeminiCard, spellings } from "@dt/schema/wire";
import type { AgentClient } from "./agent-client.js";
import { chooseInterface } from "./discovery/choose-interface.js";
import { fetchAgentCard } from "./discovery/fetch-agent-card.js";
import { SetupError } from "./errors/setup-error.js";
import {
  type AgentChannel,
  type AgentChannelOptions,
  createAgentChannel,
} from "./task/agent-channel.js";
import { createConnectionMonitor } from "./task/connection-monitor.js";
import { createTaskHandle, toParts } from "./task/task-handle.js";
import { createHttpTransport } from "./transport/http-transport.js";
import { defaultReconnectSchedule, type ReconnectSchedule } from "./transport/reconnect.js";

/** Options of {@link connect}; all have defaults. */
export interface ConnectOptions {
  /** The name that others see next to what this client sends. */
  readonly clientName?: string;
  /** The version of A2A to speak. Default: 1.0 where the agent does, else 0.3. */
  readonly version?: A2aVersion;
  /** More headers for every request, such as authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  /** The extensions' URIs, where they are not the usual ones. */
  readonly uris?: ExtensionUris;
  readonly reconnect?: ReconnectSchedule;
  /**
   * How the agent spells events. Default: as gemini-cli's own a2a-server does where the card is its, else
   * as the extension does. Name it where a card hides what is behind it.
   */
  readonly dialect?: "canonical" | "gemini";
  readonly signal?: AbortSignal;
}

/**
 * Connects to an agent: fetches its card, checks that it speaks our extension in a version that fits,
 * and chooses how to talk to it. Throws {@link SetupError} with what to do where it cannot.
 */
export async function connect(url: string, options: ConnectOptions = {}): Promise<AgentClient> {
  const { uris = defaultExtensionUris, clientName, signal } = options;
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const named = {
    ...options.headers,
    ...(clientName !== undefined && { "X-DT-Client": clientName }),
  };
  const card = await fetchAgentCard(url, { fetch, headers: named, ...(signal && { signal }) });
  const closing = new AbortController();
  const monitor = createConnectionMonitor();
  const shared = {
    fetch,
    closing: closing.signal,
    monitor,
    origin: { principal: "local", name: clientName ?? "" },
  };
  const channel = speaksGemini(card, options)
    ? await openGeminiChannel(url, named, shared)
    : openChannel(card, named, { ...options, ...shared, uris });

  return {
    card,
    async startTask({ prompt, workspacePath, settings, signal: taskSignal }) {
      const full: AgentSettings = { allowedTools: [], mcpServers: {}, ...settings, workspacePath };
      const content = { type: "prompt" as const, parts: toParts(prompt), settings: full };
      const view = await channel.send(content, {}, taskSignal);
      return createTaskHandle(channel, view);
    },
    async openTask(taskId, { signal: taskSignal } = {}) {
      return createTaskHandle(channel, await channel.get(taskId, taskSignal));
    },
    onConnectionChange: monitor.onChange,
    close() {
      closing.abort();
      monitor.report({ status: "closed" });
    },
  };
}

/** What both kinds of channel are made of. */
type Shared = Pick<AgentChannelOptions, "closing" | "monitor" | "origin"> & {
  readonly fetch: typeof globalThis.fetch;
};

function openChannel(
  card: JsonObject,
  named: Readonly<Record<string, string>>,
  options: Shared & ConnectOptions & { readonly uris: ExtensionUris },
): AgentChannel {
  const uris = checkExtensions(card, options.uris);
  const { url, version } = chooseInterface(card, options.version);
  const headers = {
    ...named,
    "A2A-Version": version,
    [version === "1.0" ? "A2A-Extensions" : "X-A2A-Extensions"]: Object.values(uris).join(", "),
  };
  return createAgentChannel({
    ...options,
    transport: createHttpTransport({ url, fetch: options.fetch, headers }),
    spelling: spellings[version],
    uris,
    schedule: options.reconnect ?? defaultReconnectSchedule,
  });
}

// Loaded when it is needed: most pages never meet that server. Where its card was found is where it
// is: the address that it gives there is a guess.
async function openGeminiChannel(
  url: string,
  headers: Readonly<Record<string, string>>,
  shared: Shared,
): Promise<AgentChannel> {
  const { createGeminiChannel } = await import("./gemini/gemini-channel.js");
  const { fetch } = shared;
  const transport = createHttpTransport({ url, fetch, headers });
  return createGeminiChannel({ ...shared, transport, url, headers });
}

function speaksGemini(card: JsonObject, { dialect }: ConnectOptions): boolean {
  return dialect === undefined ? isGeminiCard(card) : dialect === "gemini";
}

/** The URIs under which this agent writes; our session extension is a bonus that it may lack. */
function checkExtensions(card: JsonObject, uris: ExtensionUris): ExtensionUris {
  const developmentTool = findExtension(card, uris.developmentTool);
  if (!developmentTool.fits) throw new SetupError(developmentTool.reason);
  const session = findExtension(card, uris.session);
  return {
    developmentTool: developmentTool.uri,
    session: session.fits ? session.uri : uris.session,
  };
}
