import type { CoveredCommand } from "../shell/cover/shell-cover.js";
import type { Action } from "../tools/action.js";
import { type Scope, scopeKey } from "./scope.js";

type Execution = Action & { type: "execute" };

/**
 * What an "always" for a shell command covers: each of its programs with its options, if all of them
 * may vary in their other words; otherwise this very text in this very directory; or nothing.
 */
export function executeScopes({ command, directory, cover }: Execution): readonly Scope[] {
  switch (cover?.type) {
    case undefined:
      return [];
    case "exact":
      return [
        {
          scope: scopeKey("execute-exact", directory, command),
          words: `exactly this command in ${directory}`,
        },
      ];
    case "programs":
      return cover.commands.map(programScope);
  }
}

function programScope({ program, options }: CoveredCommand): Scope {
  const call = [program, ...options].join(" ");
  return { scope: scopeKey("execute-program", program, ...options), words: describe(call) };
}

function describe(call: string): string {
  const words = call === "cd" ? "to directories" : "with any words that are paths";
  return `${call} ${words} inside the workspace, also joined by &&, ||, ; and | to what else is covered`;
}
