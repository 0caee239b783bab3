import { ProtocolError, type SessionSettings } from "@dt/schema";

/** Maximum size of the settings of a session as JSON, in bytes. The settings are read each time the session is found. */
const MAX_BYTES = 256 * 1024;

/**
 * Throws if the settings of a new session are too large. A user may share many sessions with another user, whose lists
 * read the settings of all of them.
 */
export function checkSettingsSize(settings: SessionSettings): void {
  if (Buffer.byteLength(JSON.stringify(settings)) <= MAX_BYTES) return;
  throw new ProtocolError(
    "invalid-message",
    `the settings of a session have at most ${MAX_BYTES} bytes; name fewer tools and MCP servers`,
  );
}
