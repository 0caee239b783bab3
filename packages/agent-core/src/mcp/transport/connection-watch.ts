import type { McpConnectOptions } from "../mcp-connection.js";
import { McpFailure } from "../mcp-failure.js";

/** Reports when a connection is lost, and when the server's tool list changes. */
export interface ConnectionWatch {
  readonly handlers: Pick<McpConnectOptions, "onToolsChanged" | "onLost">;
  /** Rejects with {@link McpFailure} when the connection is lost or the signal aborts. */
  readonly lost: Promise<never>;
  /** Sets the callback for changes of the tool list. Calls it at once if the list has changed since the start. */
  onToolsChanged(listener: () => void): void;
}

/** Creates a watch for one connection. */
export function watchConnection(signal: AbortSignal): ConnectionWatch {
  let hasMissedChange = false;
  let notify = () => {
    hasMissedChange = true;
  };
  let lose = (_failure: McpFailure) => {};
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  // Marks the rejection as handled, because possibly no code waits for it.
  lost.catch(() => {});
  signal.addEventListener("abort", () => lose(new McpFailure("was closed")), { once: true });
  return {
    lost,
    handlers: {
      onToolsChanged: () => notify(),
      onLost: (reason) => lose(new McpFailure(reason)),
    },
    onToolsChanged(listener) {
      notify = listener;
      if (hasMissedChange) listener();
    },
  };
}
