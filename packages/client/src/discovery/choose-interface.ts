import { isObject, type JsonObject } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";
import { SetupError } from "../errors/setup-error.js";

/** Where and in which version to talk to an agent. */
export interface ChosenInterface {
  readonly url: string;
  readonly version: A2aVersion;
}

/** Picks from a card what both sides speak: A2A 1.0 before 0.3, unless one is asked for. */
export function chooseInterface(card: JsonObject, wanted: A2aVersion | undefined): ChosenInterface {
  const offered = [...interfacesOf(card)];
  const versions: readonly A2aVersion[] = wanted === undefined ? ["1.0", "0.3"] : [wanted];
  for (const version of versions) {
    const found = offered.find((candidate) => candidate.version === version);
    if (found !== undefined) return found;
  }
  throw new SetupError(
    `the agent offers no JSON-RPC interface for A2A ${versions.join(" or ")} in its card`,
  );
}

function* interfacesOf(card: JsonObject): Generator<ChosenInterface> {
  const listed = Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces : [];
  for (const entry of listed) {
    if (!isObject(entry) || typeof entry.url !== "string") continue;
    if (entry.protocolBinding !== "JSONRPC") continue;
    if (entry.protocolVersion === "1.0") yield { url: entry.url, version: "1.0" };
    if (String(entry.protocolVersion).startsWith("0.3")) yield { url: entry.url, version: "0.3" };
  }
  // A card of A2A 0.3 has one address and its transport beside it.
  if (typeof card.url === "string" && (card.preferredTransport ?? "JSONRPC") === "JSONRPC") {
    yield { url: card.url, version: "0.3" };
  }
}
