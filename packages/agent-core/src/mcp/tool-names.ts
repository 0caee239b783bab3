import { createHash } from "node:crypto";

/** A tool, with the name of its server. */
export interface ServerTool {
  readonly serverName: string;
  readonly toolName: string;
}

const MAX_NAME_LENGTH = 63;

/**
 * Returns the names that models use for the tools of servers, in the order of `tools`. Pure.
 *
 * Characters that some models refuse are replaced. A tool whose name is taken gets the name of its server as
 * a prefix. If two tools have the same name, both get a prefix, so that the order of the servers does not
 * matter.
 */
export function assignToolNames(
  tools: readonly ServerTool[],
  takenNames: readonly string[],
): readonly string[] {
  const plain = tools.map(({ toolName }) => shorten(sanitise(toolName), toolName));
  const uses = countOf([...takenNames, ...plain]);
  const qualified = tools.map((tool, index) => {
    const name = plain[index] ?? "";
    return uses.get(name) === 1 ? name : qualify(tool);
  });
  // Two names may still be equal, if the original names differ only in characters that were replaced.
  const qualifiedUses = countOf([...takenNames, ...qualified]);
  return qualified.map((name, index) => {
    const tool = tools[index];
    return tool === undefined || qualifiedUses.get(name) === 1
      ? name
      : addDigest(name, keyOf(tool));
  });
}

function qualify(tool: ServerTool): string {
  return shorten(sanitise(`${tool.serverName}__${tool.toolName}`), keyOf(tool));
}

// Replaces the characters that some models refuse. Gemini requires a letter or an underscore first, and
// OpenAI accepts no dots.
function sanitise(name: string): string {
  const accepted = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return /^[A-Za-z_]/.test(accepted) ? accepted : `_${accepted}`;
}

function shorten(name: string, key: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : addDigest(name, key);
}

function addDigest(name: string, key: string): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - digest.length - 1)}_${digest}`;
}

function keyOf({ serverName, toolName }: ServerTool): string {
  return JSON.stringify([serverName, toolName]);
}

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
