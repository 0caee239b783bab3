import type { Role } from "@dt/schema";

/**
 * Role of a paired device, unless the person names another role. A device with this role may answer
 * questions.
 */
export const DEVICE_ROLE: Role = "approve";
