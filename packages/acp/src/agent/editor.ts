import {
  type AgentContext,
  methods,
  type ReadTextFileResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SendRequestOptions,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { EditorFiles, StopSignal } from "@dt/schema";

/** The requests and notifications that a session sends to its editor. */
export interface Editor {
  /** True if the editor can show notices. */
  readonly showsNotices: boolean;
  /** Sends updates in order; resolves when the editor's stream has taken them. */
  show(sessionId: string, updates: readonly SessionUpdate[]): Promise<void>;
  /** Asks the person. An abort asks the editor to close its dialog; the promise still waits for the editor's reply. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  /** Returns access to the editor's files for a session; undefined if the editor does not offer it. */
  filesOf(sessionId: () => string): EditorFiles | undefined;
}

/** The capabilities that an editor offers when it connects. */
export interface EditorOffer {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly showsNotices: boolean;
  readonly hasTerminalSetup: boolean;
}

/** Creates the editor at the other end of a connection. */
export function createEditor(client: AgentContext, offer: EditorOffer): Editor {
  return {
    showsNotices: offer.showsNotices,
    async show(sessionId, updates) {
      for (const update of updates)
        await client.notify(methods.client.session.update, { sessionId, update });
    },
    ask: (request, cancellationSignal) =>
      client.request(methods.client.session.requestPermission, request, { cancellationSignal }),
    filesOf: (sessionId) => toFiles(client, offer, sessionId),
  };
}

function toFiles(
  client: AgentContext,
  { readsFiles, writesFiles }: EditorOffer,
  sessionId: () => string,
): EditorFiles | undefined {
  if (!readsFiles && !writesFiles) return undefined;
  const { fs } = methods.client;
  async function readText(path: string, signal: StopSignal): Promise<string> {
    const reply = await client.request<ReadTextFileResponse>(
      fs.readTextFile,
      { sessionId: sessionId(), path },
      cancelledBy(signal),
    );
    return reply.content;
  }
  async function writeText(path: string, content: string, signal: StopSignal): Promise<void> {
    const request = { sessionId: sessionId(), path, content };
    await client.request(fs.writeTextFile, request, cancelledBy(signal));
  }
  return { ...(readsFiles && { readText }), ...(writesFiles && { writeText }) };
}

/** Options of a request that ends when a signal aborts, even if the editor does not answer. */
function cancelledBy(stop: StopSignal): SendRequestOptions {
  const cancelled = new AbortController();
  const onAbort = () => cancelled.abort();
  if (stop.aborted) onAbort();
  else stop.addEventListener("abort", onAbort);
  return { cancellationSignal: cancelled.signal, stopWaitingOnCancel: true };
}
