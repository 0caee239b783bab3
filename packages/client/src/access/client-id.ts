/**
 * A random id of 160 bits, by which an agent tells this client from others. It works on pages without
 * TLS too, where there is no `crypto.randomUUID`.
 */
export function createClientId(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join("-");
}
