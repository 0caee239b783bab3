import type { Role } from "@dt/schema";

/** Role of a paired device, unless the person names another one. It includes answers to questions. */
export const DEVICE_ROLE: Role = "approve";
