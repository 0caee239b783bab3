import type { Logger } from "../logging/logger.js";

/** Creates a function that logs a fault and passes it on. */
export function toFaultLog(
  logger: Logger,
  onFault: (reason: unknown) => void = () => {},
): (reason: unknown) => void {
  return (reason) => {
    logger.error({ error: reason }, "fault");
    onFault(reason);
  };
}
