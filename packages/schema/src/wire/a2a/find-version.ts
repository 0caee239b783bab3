import type { A2aVersion } from "./a2a.js";
import { findOperation } from "./operations.js";

/**
 * Finds the version that a request asks for, such as "1.0". Returns undefined for a version that we
 * do not speak, which includes later minor versions. A patch number is ignored. (A2A 1.0 §3.6)
 */
export function findA2aVersion(named: string): A2aVersion | undefined {
  const [, version] = /^(1\.0|0\.3)(\.\d+)?$/.exec(named) ?? [];
  return version as A2aVersion | undefined;
}

/**
 * Finds the version in which we can speak to an agent, by the version in the agent's card. An agent
 * of a later minor version, such as 1.1, also supports A2A 1.0. (A2A 1.0 §3.6.2)
 */
export function findCardVersion(named: string): A2aVersion | undefined {
  return /^1(\.\d+)*$/.test(named) ? "1.0" : findA2aVersion(named);
}

/**
 * Returns the version in which to write the error of a request that could not be dispatched. If the
 * request names a version, the result is 0.3 for a version 0.x, and 1.0 for any other version. Otherwise
 * the result is the version that has the method, or 0.3 if no version has the method.
 */
export function findErrorVersion(named: string | undefined, method: unknown): A2aVersion {
  if (named) return named.startsWith("0") ? "0.3" : "1.0";
  return (typeof method === "string" && findOperation(method, undefined)?.version) || "0.3";
}
