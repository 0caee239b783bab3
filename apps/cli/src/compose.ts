import { createTrust, describeMisspeltVariables, trustFile } from "@dt/agent-core";
import type { SessionEvent } from "@dt/schema";
import { type LiveSession, type SessionStore, SetupError } from "@dt/server";
import type { EndpointOptions } from "./endpoint/endpoint-options.js";
import type { Notices } from "./endpoint/notices.js";
import { type LiveFace, type LiveFaceOptions, openLiveFace } from "./open-live-face.js";
import type { HostCommand, HostReply } from "./screen/state/host-command.js";
import type { LocalFace } from "./session/local/local-face.js";
import { chooseSession, type ListedSession } from "./sessions/choose-session.js";
import { listStored, openStore } from "./sessions/stored-sessions.js";
import { CLI_VARIABLES } from "./variables.js";

/** Options of {@link composeCli}. */
export interface CliOptions extends Omit<LiveFaceOptions, "store" | "contextId"> {
  /** Endpoint at which other clients can join the session. */
  readonly endpoint: EndpointOptions;
  /** True to trust the workspace, in this run and in later runs. */
  readonly isTrusted: boolean;
  /**
   * Session to resume. Undefined to start a new session. `id` is the beginning of the session's id. If `id` is
   * undefined, the last session of the directory is resumed.
   */
  readonly resume: { readonly id: string | undefined } | undefined;
  /** Called with every event of the session. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** The session of this terminal. Disposing a `Cli` ends the session and closes the store. */
export interface Cli extends AsyncDisposable {
  readonly face: LocalFace;
  readonly live: LiveSession;
  /** Address at which other clients can join the session. */
  readonly endpoint?: string;
  /**
   * Commands that this process performs for the person at its terminal, such as `/share`. The agent does
   * not know these commands.
   */
  readonly hostCommands: readonly HostCommand[];
  /** The reply to the option `--share`: a link and its QR code. */
  readonly offer?: HostReply;
  /** Texts for the person, for example when a device was paired. */
  readonly notices: Notices;
}

/** Opens or resumes a session, and serves the session to other clients if there is an endpoint. */
export async function composeCli(options: CliOptions): Promise<Cli> {
  const { logger, environment } = options;
  for (const warning of describeMisspeltVariables(environment, Object.keys(CLI_VARIABLES))) {
    options.onWarning(warning);
  }
  const store = openStore(options, (error) => logger.error({ error }, "the store has a fault"));
  try {
    const resumed = await prepare(store, options);
    const contextId = resumed === undefined ? {} : { contextId: resumed.contextId };
    const opened = await openLiveFace({ ...options, store, ...contextId });
    const recorded = recordEvents(opened, options);
    const close = async () => {
      await opened.face.close();
      await recorded;
      await store.close();
    };
    const { face, live, hostCommands, notices } = opened;
    try {
      const served = await serve(opened, options);
      return { face, live, hostCommands, notices, ...served, [Symbol.asyncDispose]: close };
    } catch (reason) {
      await close();
      throw reason;
    }
  } catch (reason) {
    await store.close();
    throw reason;
  }
}

/** Passes every event to `onEvent` until the session ends. */
async function recordEvents({ face }: LiveFace, { onEvent, logger }: CliOptions): Promise<void> {
  if (onEvent === undefined) return;
  try {
    const { signal } = new AbortController();
    for await (const batch of face.events(signal)) for (const event of batch) onEvent(event);
  } catch (error) {
    logger.error({ error }, "the recording stopped");
  }
}

/** Opens the endpoint if the options ask for it; resolves with its address, and the link for a device. */
async function serve(
  { serve: open, sharing }: LiveFace,
  { endpoint }: CliOptions,
): Promise<Pick<Cli, "endpoint" | "offer">> {
  if (!endpoint.opensAtStart) return {};
  try {
    const { url } = await open();
    if (endpoint.offer === undefined) return { endpoint: url };
    return { endpoint: url, offer: await sharing.share(endpoint.offer) };
  } catch (reason) {
    throw namePortFlag(reason);
  }
}

/**
 * If the error says that a port is in use, adds advice how to choose another port. Returns other errors
 * unchanged.
 */
export function namePortFlag(reason: unknown): unknown {
  if (!(reason instanceof SetupError)) return reason;
  const { message, cause } = reason;
  if ((cause as NodeJS.ErrnoException | undefined)?.code !== "EADDRINUSE") return reason;
  return new SetupError(`${message}; choose another port with --a2a-port; 0 picks a free port`, {
    cause,
  });
}

/**
 * Finds the session that `--resume` asks for. Resolves with undefined without `--resume`. With `--trust`, also
 * trusts the workspace of that session or of the new session.
 */
async function prepare(
  store: SessionStore,
  { resume, workspacePath, isTrusted, home }: CliOptions,
): Promise<ListedSession | undefined> {
  const resumed =
    resume && chooseSession(await listStored(store), { id: resume.id, workspacePath });
  if (isTrusted) {
    const trust = createTrust({ file: trustFile(home) });
    await trust.trust(resumed?.settings.workspacePath ?? workspacePath);
  }
  return resumed;
}
