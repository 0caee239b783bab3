import { isObject } from "../validation/message-json.js";
import {
  findExtensionVersion,
  formatExtensionVersion,
  isCompatibleUri,
  isSameExtension,
} from "./extension-version.js";

/** Result of looking for an extension in an agent's card. */
export type ExtensionMatch =
  | {
      readonly fits: true;
      readonly uri: string;
      readonly isRequired: boolean;
      readonly params: unknown;
    }
  | { readonly fits: false; readonly reason: string };

/**
 * Finds an extension in an agent's card, of A2A 0.3 or 1.0.
 *
 * `uri` is our URI. The result has the agent's URI, because the agent's metadata uses it as the key.
 * If the versions are incompatible, `reason` names both versions.
 */
export function findExtension(card: unknown, uri: string): ExtensionMatch {
  const declared = declaredExtensions(card);
  const fitting = declared.find((entry) => isCompatibleUri(entry.uri, uri));
  if (fitting !== undefined) {
    return {
      fits: true,
      uri: fitting.uri,
      isRequired: fitting.required === true,
      params: fitting.params,
    };
  }
  const incompatible = declared.find((entry) => isSameExtension(uri, entry.uri));
  if (incompatible !== undefined) {
    return {
      fits: false,
      reason: `the agent speaks ${versionIn(incompatible.uri)} of the extension, this client speaks ${versionIn(uri)}: ${uri}`,
    };
  }
  return { fits: false, reason: `the agent's card does not declare the extension ${uri}` };
}

/** Returns every extension that a card declares, without entries that have no URI. */
export function declaredExtensions(
  card: unknown,
): readonly { readonly uri: string; readonly required: unknown; readonly params: unknown }[] {
  const capabilities = isObject(card) ? card.capabilities : undefined;
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  if (!Array.isArray(extensions)) return [];
  return extensions.flatMap((entry) =>
    isObject(entry) && typeof entry.uri === "string"
      ? [{ uri: entry.uri, required: entry.required, params: entry.params }]
      : [],
  );
}

function versionIn(uri: string): string {
  const version = findExtensionVersion(uri);
  return version === undefined ? "no version" : formatExtensionVersion(version);
}
