import { declaredExtensions } from "../../extension/find-extension.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";

/**
 * Whether a card is that of gemini-cli's own a2a-server. It declares no extension and says nothing of
 * its dialect, so it is known by its name and its maker.
 */
export function isGeminiCard(card: JsonObject): boolean {
  return (
    card.name === "Gemini SDLC Agent" &&
    isObject(card.provider) &&
    card.provider.organization === "Google" &&
    declaredExtensions(card).length === 0
  );
}
