import { isObject } from "../validation/message-json.js";
import { isCompatibleUri } from "./extension-version.js";

/**
 * Finds the value of an extension in metadata. Returns undefined if the metadata has no value for it.
 *
 * The writer may use the URI of a compatible version as the key. The exact URI is preferred. (RFC 3.2)
 * `writer` is the side that wrote the metadata: an agent offers a version, a client asks for one.
 */
export function findExtensionValue(
  metadata: unknown,
  uri: string,
  writer: "agent" | "client" = "agent",
): unknown {
  if (!isObject(metadata)) return undefined;
  if (Object.hasOwn(metadata, uri)) return metadata[uri];
  const key = Object.keys(metadata).find((candidate) =>
    writer === "agent" ? isCompatibleUri(candidate, uri) : isCompatibleUri(uri, candidate),
  );
  return key === undefined ? undefined : metadata[key];
}
