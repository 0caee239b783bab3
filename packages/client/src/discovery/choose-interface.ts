import { isObject, type JsonObject } from "@dt/schema";
import { type A2aVersion, BINDINGS, findCardVersion } from "@dt/schema/wire";
import { SetupFaultError } from "../errors/setup-fault.js";

/** Address and version for talking to an agent. */
export interface ChosenInterface {
  readonly url: string;
  readonly version: A2aVersion;
}

/** Chooses an interface of the wanted version. If no version is wanted, prefers A2A 1.0 to 0.3. */
export function chooseInterface(card: JsonObject, wanted: A2aVersion | undefined): ChosenInterface {
  const offered = [...interfacesOf(card)];
  const versions: readonly A2aVersion[] = wanted === undefined ? ["1.0", "0.3"] : [wanted];
  for (const version of versions) {
    const found = offered.find((candidate) => candidate.version === version);
    if (found !== undefined) return found;
  }
  throw new SetupFaultError({
    type: "interface",
    wanted: versions.join(" or "),
    offered: offered.map(({ version }) => version).join(" and "),
  });
}

/** Finds the address of an agent's WebSocket, which serves both versions; undefined if there is none. */
export function findSocketUrl(card: JsonObject): string | undefined {
  return listedInterfaces(card).find(({ binding }) => binding === BINDINGS.webSocket)?.url;
}

function* interfacesOf(card: JsonObject): Generator<ChosenInterface> {
  for (const { url, binding, version } of listedInterfaces(card)) {
    if (binding !== BINDINGS.jsonRpc) continue;
    const known = findCardVersion(version);
    if (known !== undefined) yield { url, version: known };
  }
  // A card of A2A 0.3 has one address, and `preferredTransport` names its transport.
  if (typeof card.url === "string" && (card.preferredTransport ?? "JSONRPC") === "JSONRPC") {
    yield { url: card.url, version: "0.3" };
  }
}

function listedInterfaces(card: JsonObject) {
  const listed = Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces : [];
  return listed.flatMap((entry) =>
    isObject(entry) && typeof entry.url === "string"
      ? [
          {
            url: entry.url,
            binding: entry.protocolBinding,
            version: String(entry.protocolVersion),
          },
        ]
      : [],
  );
}
