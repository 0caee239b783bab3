import { AgentCard } from "@a2a-js/sdk";
import { buildCardEntries, type ExtensionUris, type JsonObject } from "@dt/schema";
import { bindings } from "@dt/schema/wire";

/** What an agent card says. */
export interface AgentCardContent {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Where clients reach the agent, ending in a slash. */
  readonly url: string;
  readonly uris: ExtensionUris;
  readonly isExtensionRequired: boolean;
  /** Whether it calls back. */
  readonly hasPush: boolean;
}

const skills = [
  {
    id: "code_generation",
    name: "Code Generation",
    description: "Writes, changes and explains code in a workspace, and asks before it acts.",
    tags: ["code", "development", "programming"],
    examples: ["add a test for the parser", "write hello.txt: hello"],
  },
];

/**
 * One card for clients of both versions: A2A 1.0 reads `supportedInterfaces`, A2A 0.3 reads `url` and
 * `protocolVersion`; each ignores what is the other's.
 */
export function buildAgentCard(content: AgentCardContent): JsonObject {
  const { name, description, version, url, uris, isExtensionRequired, hasPush } = content;
  const extensions = buildCardEntries({ uris, isRequired: isExtensionRequired });
  const card = AgentCard.toJSON(
    AgentCard.fromJSON({
      name,
      description,
      version,
      supportedInterfaces: interfacesAt(url),
      capabilities: { streaming: true, pushNotifications: hasPush, extensions },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain", "application/json"],
      skills,
    }),
  ) as JsonObject;
  return {
    ...card,
    url,
    protocolVersion: "0.3.0",
    preferredTransport: "JSONRPC",
    // ProtoJSON leaves out what is false; the RFC's reader should not have to know that.
    capabilities: {
      ...(card.capabilities as JsonObject),
      pushNotifications: hasPush,
      stateTransitionHistory: true,
      extensions,
    },
    skills,
  };
}

// JSON-RPC first: a client takes the first entry that it speaks.
function interfacesAt(url: string) {
  return [
    { url, protocolBinding: bindings.jsonRpc, protocolVersion: "1.0" },
    { url, protocolBinding: bindings.jsonRpc, protocolVersion: "0.3" },
    { url: `${url}v1`, protocolBinding: bindings.rest, protocolVersion: "1.0" },
    {
      url: `${url.replace(/^http/, "ws")}ws`,
      protocolBinding: bindings.webSocket,
      protocolVersion: "1.0",
    },
  ];
}
