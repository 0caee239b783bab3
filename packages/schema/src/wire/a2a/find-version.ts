import type { A2aVersion } from "./a2a.js";

/** Finds the version that a header or a card names, such as "0.3.0"; undefined if we do not speak it. */
export function findA2aVersion(named: string): A2aVersion | undefined {
  if (/^1(\.\d+)*$/.test(named)) return "1.0";
  return /^0\.3(\.\d+)*$/.test(named) ? "0.3" : undefined;
}
