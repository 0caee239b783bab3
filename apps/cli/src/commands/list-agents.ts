import path from "node:path";
import type { LocalAgent } from "@dt/client/node";

/** Moves the agents whose workspace contains the directory to the front; else keeps the order. Pure. */
export function sortAgents(
  agents: readonly LocalAgent[],
  directory: string,
): readonly LocalAgent[] {
  const isHere = ({ workspacePath }: LocalAgent) => contains(workspacePath, directory);
  return [...agents.filter(isHere), ...agents.filter((agent) => !isHere(agent))];
}

/** Lays agents out as numbered lines. Pure. */
export function listAgents(agents: readonly LocalAgent[]): readonly string[] {
  const width = Math.max(...agents.map(({ program }) => program.length));
  return agents.map(
    ({ program, url, workspacePath }, index) =>
      `${index + 1}  ${program.padEnd(width)}  ${workspacePath}  ${url}`,
  );
}

function contains(parent: string, child: string): boolean {
  const relative = path.relative(parent, child);
  return relative === "" || !(relative.startsWith("..") || path.isAbsolute(relative));
}
