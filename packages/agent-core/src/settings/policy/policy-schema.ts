import { ROLES, type ServerPolicy } from "@dt/schema";

const NAMES = { type: "array", items: { type: "string", minLength: 1 } } as const;
const TOOL_NAMES = {
  type: "array",
  items: { type: "string", pattern: "^[A-Za-z0-9_.:/-]{1,128}$" },
} as const;
const RULE = { enum: ["all", "addresses", "none"], default: "all" } as const;

const PROPERTIES = {
  maxMode: {
    enum: ["plan", "default", "auto-edit", "yolo"],
    default: "yolo",
    description: "The freest permission mode. A freer mode counts as this one.",
  },
  allowedTools: { ...TOOL_NAMES, description: "The only tools that may be used." },
  excludedTools: {
    ...TOOL_NAMES,
    default: [],
    description: "Tools that may not be used.",
  },
  models: {
    ...NAMES,
    description:
      "The only models that may be used. A name that ends with `*` allows all names with this beginning.",
  },
  mcpServers: {
    type: "object",
    properties: {
      clients: {
        ...RULE,
        description: "MCP servers that clients name: all, only those at an address, or none.",
      },
      workspaces: {
        ...RULE,
        description: "MCP servers of settings and extensions in trusted workspaces.",
      },
      host: { ...RULE, description: "MCP servers of settings and extensions of the host." },
    },
    additionalProperties: false,
  },
  workspaceRoots: {
    ...NAMES,
    description: "Absolute directories under which workspaces must be.",
  },
  sharing: {
    type: "object",
    properties: {
      users: { type: "boolean", default: true, description: "Sessions may be shared with users." },
      links: { type: "boolean", default: true, description: "Sessions may be shared by link." },
      maxRole: {
        // No share gives the role admin, which manages a server.
        enum: ROLES.filter((role) => role !== "admin"),
        default: "approve",
        description: "The highest role that a share may give.",
      },
      maxDays: {
        type: "integer",
        minimum: 1,
        description: "The longest time in days after which a share must expire.",
      },
    },
    additionalProperties: false,
  },
} as const satisfies Record<keyof ServerPolicy, object>;

/** Returns the JSON Schema of the policy file, for editors and for our own check. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "dt policy",
    description: "The file of DT_POLICY_FILE: limits that no user can loosen.",
    type: "object",
    properties: PROPERTIES,
    additionalProperties: false,
    minProperties: 1,
  };
}
