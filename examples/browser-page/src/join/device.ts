/** The data of this device's pairing with the endpoint. */
export interface Device {
  readonly token: string;
  readonly name: string;
  readonly role: string;
}

const KEY = "dt-device";

/** Loads the device; undefined if it is not paired. */
export function loadDevice(): Device | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null") ?? undefined;
  } catch {
    // The browser stores nothing for this page, so the device pairs again after a reload.
    return undefined;
  }
}

/** Stores the device; undefined removes it. */
export function saveDevice(device: Device | undefined): void {
  try {
    if (device === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(device));
  } catch {
    // See loadDevice.
  }
}

/** Suggests a name for a device from its browser's user agent. */
export function suggestName(userAgent: string): string {
  const kinds = ["iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux"];
  return kinds.find((kind) => userAgent.includes(kind)) ?? "browser";
}
