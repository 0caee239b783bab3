import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OpenAgent, SessionEvent } from "@dt/schema";
import { type Caller, DEFAULT_EXTENSION_URIS } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { createCredentialBook } from "../access/credential-book.js";
import { createSessionAccess } from "../access/grants/session-access.js";
import { createSessionSharing } from "../access/grants/sharing.js";
import { createStreamLimit } from "../access/limits/stream-limit.js";
import { createUnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { systemClock } from "../clock.js";
import { createHttpApp } from "../http/create-http-app.js";
import { silentLogger } from "../logging/logger.js";
import { openPush, type PushOptions } from "../push/open-push.js";
import { createSharedSnapshots } from "../rpc/frames/shared-snapshots.js";
import { DEFAULT_INPUT_MODES } from "../rpc/messages/check-input-modes.js";
import type { Delivery } from "../rpc/messages/delivery.js";
import { createInFlight } from "../rpc/messages/in-flight.js";
import { createStopping } from "../rpc/stopping.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import { openSessionRegistry } from "../sessions/session-registry.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { SessionStore } from "../store/session-store.js";
import { attachWebSocket } from "../ws/attach-websocket.js";
import { createScriptedAgent } from "./fake-agent.js";

/** Options of {@link openTestServer}. */
export interface TestServerOptions {
  readonly openAgent?: OpenAgent;
  readonly store?: SessionStore;
  /** Called with every committed event, and with live output. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** True if the server shares one session with all clients, as a live endpoint does. */
  readonly isLive?: boolean;
  readonly heartbeatMs?: number;
  readonly pingMs?: number;
  readonly maxFrameBytes?: number;
  /** Options of push, or false to switch it off. */
  readonly push?: PushOptions | false;
  /** True if clients must activate the development-tool extension. */
  readonly isExtensionRequired?: boolean;
  /** Limit on the open streams of each user. */
  readonly maxStreams?: number;
}

/** The user that owns a live session. */
export const TERMINAL: Caller = { user: "terminal", name: "terminal", role: "admin" };

/** Opens a server with a fake agent. Disposing the result closes the server. */
export async function openTestServer(options: TestServerOptions = {}) {
  const workspacePath = realpathSync(mkdtempSync(path.join(tmpdir(), "dt-server-")));
  const { openAgent = createScriptedAgent(), store = openMemoryStore(), isLive = false } = options;
  const faults: unknown[] = [];
  const onFault = (reason: unknown) => void faults.push(reason);
  const uris = DEFAULT_EXTENSION_URIS;
  const vault = createSecretVault();
  const parts = {
    store,
    vault,
    uris,
    logger: silentLogger,
    clock: systemClock,
    onFault,
    maxConfigsPerTask: 3,
  };
  const push = options.push === false ? undefined : openPush(options.push ?? {}, parts);
  const credentials = createCredentialBook(systemClock);
  const { isAlive: isCredentialAlive } = credentials;
  const access = createSessionAccess({ store, clock: systemClock, isCredentialAlive, onFault });
  const sessions = openSessionRegistry({
    openAgent,
    store,
    vault,
    isCredentialAlive,
    onFault,
    ...(!isLive && { access }),
    ...(options.onEvent !== undefined && { onEvent: options.onEvent }),
  });
  if (push !== undefined) sessions.subscribeToCommits(push.sender.notify);
  const settings = { workspacePath, allowedTools: [], mcpServers: {} };
  const live: SharedSession | undefined = isLive
    ? {
        host: await sessions.createSession({ contextId: "live", settings }, TERMINAL),
        taskId: "live",
      }
    : undefined;
  const served = {
    services: {
      sessions,
      credentials,
      ...(!isLive && { access, sharing: createSessionSharing(store, systemClock) }),
      tasks: store,
      ...(push !== undefined && { pushes: push.configs }),
      workspaceRoots: { directories: [workspacePath] },
      defaultSettings: settings,
      createId: randomUUID,
      clock: systemClock,
      isExtensionRequired: options.isExtensionRequired ?? false,
      uris,
      dialects: createDialects(uris),
      inFlight: createInFlight<Delivery>(),
      snapshots: createSharedSnapshots(),
      stopping: createStopping(),
      streams: createStreamLimit(options.maxStreams ?? Number.POSITIVE_INFINITY),
      ...(live !== undefined && { shared: async () => live }),
    },
    guard: { allowedHosts: [], allowedOrigins: [] },
    countAnonymous: async () => {},
    unfinished: createUnfinishedBytes(Number.POSITIVE_INFINITY),
    authenticate: ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => ({
      user: String(headers["x-test-user"] ?? "local"),
      name: String(headers["x-dt-client"] ?? "local"),
      role: "admin" as const,
    }),
    onFault,
    ...options,
  };
  let url = "";
  const server = createServer(
    createHttpApp({
      ...served,
      maxBodyBytes: 1024 * 1024,
      card: () => ({
        name: "test",
        description: "An agent for tests.",
        version: "0.0.0",
        url,
        uris,
        isExtensionRequired: options.isExtensionRequired ?? false,
        inputModes: DEFAULT_INPUT_MODES,
        hasPush: push !== undefined,
      }),
    }),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const sockets = attachWebSocket(server, served);

  return {
    url,
    wsUrl: `${url.replace("http", "ws")}ws`,
    workspacePath,
    sockets,
    /** Faults of the server. A test should expect an empty list. */
    faults,
    /** The shared session of a live endpoint. */
    live,
    async [Symbol.asyncDispose]() {
      await sockets.close();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await push?.sender.close();
      access.close();
      await sessions.close();
      rmSync(workspacePath, { recursive: true, force: true });
    },
  };
}
