import { randomBytes } from "node:crypto";

const PREFIX = "device-";

/**
 * Creates the user of a paired device. Each device is a user of its own, so that the answer "always" on one device
 * allows nothing to another device.
 */
export function createDeviceUser(): string {
  return `${PREFIX}${randomBytes(4).toString("hex")}`;
}

/** Returns true if a user is a paired device. */
export function isDeviceUser(user: string): boolean {
  return user.startsWith(PREFIX);
}
