import { declaredExtensions } from "../../extension/find-extension.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";

/**
 * Returns true for the card of gemini-cli's own a2a-server. The card declares no extension and no
 * dialect, so it is recognised by its name and its organization.
 */
export function isGeminiCard(card: JsonObject): boolean {
  return (
    card.name === "Gemini SDLC Agent" &&
    isObject(card.provider) &&
    card.provider.organization === "Google" &&
    declaredExtensions(card).length === 0
  );
}
