import { findNearest } from "@dt/schema";
import { type Environment, settingVariables } from "./environment-settings.js";

/** Beginnings of variables that nobody but us reads. */
const PREFIXES = ["DT_", "CODER_AGENT_"];

/**
 * A sentence for each variable that is set and probably means another one. `known`: the variables that
 * the program reads beside those of the settings. A name that is near none is someone else's.
 */
export function describeMisspeltVariables(
  environment: Environment,
  known: readonly string[],
): readonly string[] {
  const names = [...known, ...settingVariables];
  return Object.keys(environment)
    .filter((name) => PREFIXES.some((prefix) => name.startsWith(prefix)) && !names.includes(name))
    .sort()
    .flatMap((name) => {
      const meant = findNearest(name, names);
      return meant === undefined ? [] : [`there is no variable ${name}, did you mean ${meant}?`];
    });
}
