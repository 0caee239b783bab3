import { type Part, ProtocolError } from "@dt/schema";

/**
 * Media types that an agent reads by default. A type with `*` matches a whole group. Our agent reads text, images
 * and structured data.
 */
export const DEFAULT_INPUT_MODES: readonly string[] = [
  "text/plain",
  "text/*",
  "application/json",
  "image/*",
];

/**
 * Throws if a prompt has a part with a media type that the agent's card does not list. A part without a media type is
 * accepted. (A2A 1.0 §3.1.1)
 */
export function checkInputModes(
  parts: readonly Part[],
  modes: readonly string[] = DEFAULT_INPUT_MODES,
): void {
  for (const [index, { mediaType }] of parts.entries()) {
    if (mediaType === undefined || modes.some((mode) => includesType(mode, mediaType))) continue;
    const path = `message.parts[${index}].mediaType`;
    throw new ProtocolError(
      "content-type-not-supported",
      `${path}: ${mediaType.slice(0, MAX_SHOWN_TYPE)} is not supported; use one of ${modes.join(", ")}`,
      { data: { path, inputModes: modes } },
    );
  }
}

/** Maximum length of a media type in an error message. Longer types are cut. */
const MAX_SHOWN_TYPE = 128;

function includesType(mode: string, mediaType: string): boolean {
  const [type = ""] = mediaType.toLowerCase().split(";");
  return mode.endsWith("/*") ? type.startsWith(mode.slice(0, -1)) : type.trim() === mode;
}
