import path from "node:path";
import { SettingsError } from "@dt/agent-core";
import { ProtocolError } from "@dt/schema";
import type { Logger } from "@dt/server";

/** Directories of a session whose settings have a fault. */
export interface SettingsPlace {
  readonly home: string;
  readonly workspacePath: string;
  readonly logger: Pick<Logger, "error">;
}

/**
 * Throws the fault of a settings file as an error that clients see. Clients can correct a file of their workspace. A file
 * of the host was valid when the server started, so its change is also logged for the operator.
 */
export function refuseSettings(reason: unknown, { home, ...place }: SettingsPlace): never {
  if (!(reason instanceof SettingsError)) throw reason;
  const { workspacePath, logger } = place;
  const [fault] = reason.faults;
  const message = reason.message.replaceAll(`${home}${path.sep}`, `~${path.sep}`);
  if (fault?.file.startsWith(`${workspacePath}${path.sep}.dt${path.sep}`)) {
    const data = { path: "workspace_path" };
    throw new ProtocolError("invalid-message", `workspace_path: ${message}`, {
      cause: reason,
      data,
    });
  }
  logger.error({ error: reason }, "no session can start, because the settings have a fault");
  throw new ProtocolError(
    "internal",
    `no session can start on this server, because its settings have a fault: ${message}`,
    { cause: reason },
  );
}
