import type { A2aVersion } from "./a2a.js";
import { findOperation } from "./operations.js";

/**
 * Finds the version that a request names, such as "1.0"; undefined if we do not speak it. A patch
 * number does not matter, a later minor version does. (A2A 1.0 §3.6)
 */
export function findA2aVersion(named: string): A2aVersion | undefined {
  const [, version] = /^(1\.0|0\.3)(\.\d+)?$/.exec(named) ?? [];
  return version as A2aVersion | undefined;
}

/**
 * Finds the version in which we can speak to an agent whose card names one. An agent of a later
 * minor version also supports A2A 1.0. (A2A 1.0 §3.6.2)
 */
export function findCardVersion(named: string): A2aVersion | undefined {
  return /^1(\.\d+)*$/.test(named) ? "1.0" : findA2aVersion(named);
}

/**
 * Returns the version in which an error is written if its request could not be dispatched: the one
 * nearest to the version that the client named, else the one that has the method, else 0.3.
 */
export function findErrorVersion(named: string | undefined, method: unknown): A2aVersion {
  if (named) return named.startsWith("0") ? "0.3" : "1.0";
  return (typeof method === "string" && findOperation(method, undefined)?.version) || "0.3";
}
