import type { CoveredCommand } from "../shell/cover/shell-cover.js";
import type { Action } from "../tools/action.js";
import { describeIsolation } from "../workspace/processes/sandbox.js";
import { type Scope, scopeKey } from "./scope.js";

type Execution = Action & { type: "execute" };

/**
 * Returns the scopes of an "always" for a shell command. If "always" allows the command's programs with any
 * paths, each program with its options is a scope. If "always" allows only the exact command, the text and the
 * directory of the command are the only scope. The list is empty if the command must ask every time.
 */
export function executeScopes(action: Execution): readonly Scope[] {
  const { isolation } = action;
  const scopes = findScopes(action);
  if (isolation === undefined) return scopes;
  // An "always" for commands in a sandbox does not cover commands outside of it.
  return scopes.map(({ scope, words }) => ({
    scope: scopeKey("sandbox", isolation, scope),
    words: `${words}, ${describeIsolation(isolation)}`,
  }));
}

function findScopes({ command, directory, cover }: Execution): readonly Scope[] {
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
  const words = call === "cd" ? "to directories" : "with any paths";
  return `${call} ${words} inside the workspace, also combined by &&, ||, ; and | with other covered commands`;
}
