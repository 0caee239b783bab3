import { isObject } from "../validation/message-json.js";
import { isCompatibleUri } from "./extension-version.js";

/**
 * What stands under an extension's key in some metadata, or undefined.
 *
 * A peer may write a compatible version's URI; the exact one is looked for first. (RFC 3.2)
 */
export function findExtensionValue(metadata: unknown, uri: string): unknown {
  if (!isObject(metadata)) return undefined;
  if (Object.hasOwn(metadata, uri)) return metadata[uri];
  const key = Object.keys(metadata).find((candidate) => isCompatibleUri(uri, candidate));
  return key === undefined ? undefined : metadata[key];
}
