import { AgentCard } from "@a2a-js/sdk";
import {
  buildCardEntries,
  type Caller,
  type CardEntry,
  type ExtensionUris,
  encodePolicy,
  type JsonObject,
  type ServerPolicy,
} from "@dt/schema";
import { type A2aVersion, BINDINGS, SERVER_TRAITS } from "@dt/schema/wire";

/** The content of an agent card. */
export interface AgentCardContent {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The address of the agent, with a slash at the end. */
  readonly url: string;
  /** Host and port of the gRPC binding; undefined if the agent has no such binding. */
  readonly grpcAddress?: string | undefined;
  readonly uris: ExtensionUris;
  readonly isExtensionRequired: boolean;
  /** Media types that prompts may contain. */
  readonly inputModes: readonly string[];
  /** Media types that replies and artifacts may contain. Default: text and JSON. */
  readonly outputModes?: readonly string[] | undefined;
  /** Skills that the card lists. Default: the skill of a coding agent. */
  readonly skills?: readonly CardSkill[] | undefined;
  /** True if the server delivers push notifications. */
  readonly hasPush: boolean;
  /** True if requests need a token. The card then has the security scheme, and there is an extended card. */
  readonly requiresToken?: boolean;
  /** The caller that an extended card is for. */
  readonly caller?: Pick<Caller, "user" | "name" | "role"> | undefined;
  /**
   * Limits that no user can loosen. Only authenticated callers see them, so the public card of a server that requires a
   * token has none.
   */
  readonly policy?: ServerPolicy | undefined;
}

/** A skill of an agent, as its card describes it. */
export interface CardSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Examples of prompts that use the skill. */
  readonly examples?: readonly string[];
}

/** Path of A2A 0.3's HTTP+JSON binding. Its clients append `/v1/…`. */
export const REST_PATH_V0_3 = "v0.3";

const DEFAULT_OUTPUT_MODES = ["text/plain", "application/json"];

const DEFAULT_SKILLS: readonly CardSkill[] = [
  {
    id: "code_generation",
    name: "Code Generation",
    description: "Writes, changes and explains code in a workspace, and asks before it acts.",
    tags: ["code", "development", "programming"],
    examples: ["add a test for the parser", "write hello.txt: hello"],
  },
];

/** Builds the card for clients of a version of A2A. */
export function buildAgentCard(content: AgentCardContent, version: A2aVersion): JsonObject {
  return SERVER_TRAITS[version].sharesCard ? buildSharedCard(content) : buildPureCard(content);
}

/**
 * Builds a card with the fields of A2A 1.0 and no others, because strict protobuf decoders refuse unknown
 * fields.
 */
function buildPureCard(content: AgentCardContent): JsonObject {
  const { name, description, version, uris, isExtensionRequired, hasPush } = content;
  const { outputModes = DEFAULT_OUTPUT_MODES, skills = DEFAULT_SKILLS } = content;
  const { requiresToken = false } = content;
  const extensions = buildCardEntries({ uris, isRequired: isExtensionRequired }).map((entry) =>
    entry.uri === uris.session ? withCaller(withPolicy(entry, content), content) : entry,
  );
  const card = AgentCard.toJSON(
    AgentCard.fromJSON({
      name,
      description,
      version,
      supportedInterfaces: interfacesAt(content),
      capabilities: {
        streaming: true,
        pushNotifications: hasPush,
        extensions,
        ...(requiresToken && { extendedAgentCard: true }),
      },
      ...(requiresToken && SECURITY),
      defaultInputModes: content.inputModes,
      defaultOutputModes: outputModes,
      skills,
    }),
  ) as JsonObject;
  return {
    ...card,
    // ProtoJSON leaves out false values, but the card in the RFC of the development-tool extension contains them.
    capabilities: {
      ...(card.capabilities as JsonObject),
      pushNotifications: hasPush,
      extensions,
    },
    skills,
  };
}

/**
 * Builds one card for clients of both versions: A2A 1.0 reads `supportedInterfaces`, A2A 0.3 reads `url`,
 * `protocolVersion` and `additionalInterfaces`, and each ignores the fields of the other.
 */
function buildSharedCard(content: AgentCardContent): JsonObject {
  const { capabilities, ...card } = buildPureCard(content);
  return {
    ...card,
    url: content.url,
    protocolVersion: "0.3.0",
    preferredTransport: BINDINGS.jsonRpc,
    additionalInterfaces: additionalInterfacesAt(content),
    capabilities: { ...(capabilities as JsonObject), stateTransitionHistory: true },
    ...(content.requiresToken === true && SHARED_SECURITY),
  };
}

/** The security scheme, a bearer token, with the fields of A2A 1.0. */
const SECURITY = {
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
  securityRequirements: [{ schemes: { token: { list: [] } } }],
};

/** The same scheme, with the fields of A2A 0.3 and of A2A 1.0. */
const SHARED_SECURITY = {
  securitySchemes: {
    token: { type: "http", ...SECURITY.securitySchemes.token, scheme: "Bearer" },
  },
  security: [{ token: [] }],
  supportsAuthenticatedExtendedCard: true,
};

// An extended card tells a caller its own user, name and role.
function withCaller(entry: CardEntry, { caller }: AgentCardContent): CardEntry {
  if (caller === undefined) return entry;
  const { user, name, role } = caller;
  return { ...entry, params: { ...entry.params, caller: { user, name, role } } };
}

function withPolicy(entry: CardEntry, content: AgentCardContent): CardEntry {
  const { policy, caller, requiresToken = false } = content;
  if (policy === undefined || (requiresToken && caller === undefined)) return entry;
  return { ...entry, params: { ...entry.params, policy: encodePolicy(policy) } };
}

// Lists the bindings of a server. JSON-RPC comes first, because a client uses the first binding that it knows.
function interfacesAt({ url, grpcAddress }: AgentCardContent) {
  return [
    { url, protocolBinding: BINDINGS.jsonRpc, protocolVersion: "1.0" },
    { url, protocolBinding: BINDINGS.jsonRpc, protocolVersion: "0.3" },
    { url: `${url}v1`, protocolBinding: BINDINGS.rest, protocolVersion: "1.0" },
    {
      url: `${url.replace(/^http/, "ws")}ws`,
      protocolBinding: BINDINGS.webSocket,
      protocolVersion: "1.0",
    },
    // gRPC clients connect to a host and a port, without a scheme.
    ...(grpcAddress === undefined
      ? []
      : [{ url: grpcAddress, protocolBinding: BINDINGS.grpc, protocolVersion: "1.0" }]),
  ];
}

// A2A 0.3 recommends that this list repeats the preferred transport. (A2A 0.3 §5.6.1)
function additionalInterfacesAt({ url, grpcAddress }: AgentCardContent) {
  return [
    { url, transport: BINDINGS.jsonRpc },
    { url: `${url}${REST_PATH_V0_3}`, transport: BINDINGS.rest },
    ...(grpcAddress === undefined ? [] : [{ url: grpcAddress, transport: BINDINGS.grpc }]),
  ];
}
