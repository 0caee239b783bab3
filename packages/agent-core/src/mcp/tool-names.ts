import { createHash } from "node:crypto";

/** A tool of a server. */
export interface ServerTool {
  readonly serverName: string;
  readonly toolName: string;
}

const longestName = 63;

/**
 * The names under which models know the tools of servers, in the same order.
 *
 * A tool keeps its own name, spelled with what every model accepts, unless another tool has it: then
 * both carry their server's name in front. Which server came first makes no difference. Pure.
 */
export function assignToolNames(
  tools: readonly ServerTool[],
  takenNames: readonly string[],
): readonly string[] {
  const plain = tools.map(({ toolName }) => fit(sanitise(toolName), toolName));
  const uses = countOf([...takenNames, ...plain]);
  const qualified = tools.map((tool, index) => {
    const name = plain[index] ?? "";
    return uses.get(name) === 1 ? name : qualify(tool);
  });
  // Two servers whose names differ only in what models do not accept still get names of their own.
  const qualifiedUses = countOf([...takenNames, ...qualified]);
  return qualified.map((name, index) => {
    const tool = tools[index];
    return tool === undefined || qualifiedUses.get(name) === 1 ? name : mark(name, keyOf(tool));
  });
}

function qualify(tool: ServerTool): string {
  return fit(sanitise(`${tool.serverName}__${tool.toolName}`), keyOf(tool));
}

// Gemini wants a letter or underscore first; OpenAI accepts no dots.
function sanitise(name: string): string {
  const accepted = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return /^[A-Za-z_]/.test(accepted) ? accepted : `_${accepted}`;
}

function fit(name: string, key: string): string {
  return name.length <= longestName ? name : mark(name, key);
}

function mark(name: string, key: string): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${name.slice(0, longestName - digest.length - 1)}_${digest}`;
}

function keyOf({ serverName, toolName }: ServerTool): string {
  return JSON.stringify([serverName, toolName]);
}

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
