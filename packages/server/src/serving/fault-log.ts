import type { Logger } from "../logging/logger.js";

/** Faults go to the log, and to whoever else wants to know. */
export function toFaultLog(
  logger: Logger,
  onFault: (reason: unknown) => void = () => {},
): (reason: unknown) => void {
  return (reason) => {
    logger.error({ error: reason }, "fault");
    onFault(reason);
  };
}
