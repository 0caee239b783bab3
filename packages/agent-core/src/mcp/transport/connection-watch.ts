import type { McpConnectOptions } from "../mcp-connection.js";
import { McpFailure } from "../mcp-failure.js";

/** What one connection reports, in a form that can be waited for. */
export interface LineWatch {
  readonly handlers: Pick<McpConnectOptions, "onToolsChanged" | "onLost">;
  /** Rejects with {@link McpFailure} when the connection is lost or the signal aborts. */
  readonly lost: Promise<never>;
  /** From now on, runs whenever the list of tools changed; at once if it did before. */
  onList(relist: () => void): void;
}

/** Watches one connection. */
export function watchLine(signal: AbortSignal): LineWatch {
  let hasChanged = false;
  let notify = () => {
    hasChanged = true;
  };
  let lose = (_failure: McpFailure) => {};
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  // Whoever waits hears of it; nobody has to wait.
  lost.catch(() => {});
  signal.addEventListener("abort", () => lose(new McpFailure("was closed")), { once: true });
  return {
    lost,
    handlers: {
      onToolsChanged: () => notify(),
      onLost: (why) => lose(new McpFailure(why)),
    },
    onList(relist) {
      notify = relist;
      if (hasChanged) relist();
    },
  };
}
