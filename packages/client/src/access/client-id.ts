/**
 * A random id of 128 bits, by which an agent tells this client from others. It works on pages without
 * TLS too, where there is no `crypto.randomUUID`.
 */
export function createClientId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
