import {
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import type { EditorOffer } from "./editor.js";
import type { EditorHost } from "./editor-host.js";

/** Reads the capabilities of an editor. A capability that the editor does not name counts as missing. */
export function readOffer({ clientCapabilities }: InitializeRequest): EditorOffer {
  const { fs, session, auth, _meta: meta } = clientCapabilities ?? {};
  return {
    readsFiles: fs?.readTextFile === true,
    writesFiles: fs?.writeTextFile === true,
    showsNotices: session?.notices != null,
    // Older editors, and the check of the registry, offer a terminal for the set-up in the metadata.
    hasTerminalSetup: auth?.terminal === true || meta?.["terminal-auth"] === true,
  };
}

/**
 * Builds the reply to `initialize`. dt speaks only version 1 of the Agent Client Protocol, so an editor that
 * speaks another version may disconnect.
 */
export function toInitializeResponse(
  host: EditorHost,
  { hasTerminalSetup }: EditorOffer,
): InitializeResponse {
  const { name, version, terminalSetups } = host;
  const setups = hasTerminalSetup ? terminalSetups : [];
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name, title: name, version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        ...(host.delete !== undefined && { delete: {} }),
      },
    },
    authMethods: setups.map(({ args, ...setup }) => ({
      ...setup,
      type: "terminal",
      args: [...args],
    })),
  };
}
