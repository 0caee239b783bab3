import { findNearest } from "@dt/schema";
import { type Environment, SETTING_VARIABLES } from "./environment-settings.js";

/** Prefixes of variables that only dt reads. */
const PREFIXES = ["DT_", "CODER_AGENT_"];

/**
 * Returns a sentence for each variable that is probably a misspelling. `known` lists the variables that the
 * program reads in addition to the variables for settings. A variable that resembles no known variable is
 * ignored.
 */
export function describeMisspeltVariables(
  environment: Environment,
  known: readonly string[],
): readonly string[] {
  const names = [...known, ...SETTING_VARIABLES];
  return Object.keys(environment)
    .filter((name) => PREFIXES.some((prefix) => name.startsWith(prefix)) && !names.includes(name))
    .sort()
    .flatMap((name) => {
      const meant = findOtherPrefix(name, names) ?? findNearest(name, names);
      return meant === undefined ? [] : [`there is no variable ${name}, did you mean ${meant}?`];
    });
}

/** Finds a known variable that differs only in its prefix: `CODER_AGENT_PORT` for `DT_PORT`. */
function findOtherPrefix(name: string, names: readonly string[]): string | undefined {
  const own = PREFIXES.find((prefix) => name.startsWith(prefix)) ?? "";
  return PREFIXES.map((prefix) => prefix + name.slice(own.length)).find((one) =>
    names.includes(one),
  );
}
