import { isObject, ProtocolError } from "@dt/schema";
import { FaultySetup } from "./setup-fault.js";

/** The names that an option may have, each once; the compiler keeps them complete. */
export type OptionNames<TOptions> = Readonly<Record<keyof Required<TOptions>, true>>;

/** The first name that is not known, with the known one that looks most like it. */
export function findUnknownName(
  given: unknown,
  names: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly nearest: string } | undefined {
  const name = Object.keys(isObject(given) ? given : {}).find((one) => !Object.hasOwn(names, one));
  if (name === undefined) return undefined;
  const [nearest = ""] = Object.keys(names).sort(
    (one, other) => distance(name, one) - distance(name, other),
  );
  return { name, nearest };
}

/** Refuses options of a call that nobody reads, which a program without types may have misspelt. */
export function checkNames(
  given: unknown,
  names: Readonly<Record<string, unknown>>,
  where: string,
): void {
  const found = findUnknownName(given, names);
  if (found === undefined) return;
  const { name, nearest } = found;
  throw new ProtocolError("invalid-message", `${where}: no option ${name}; is it ${nearest}?`);
}

/** The same for the options of `connect`. */
export function checkSetupNames(
  given: unknown,
  names: Readonly<Record<string, unknown>>,
  prefix: string,
): void {
  const found = findUnknownName(given, names);
  if (found === undefined) return;
  const { name, nearest } = found;
  throw new FaultySetup({ type: "name", name: prefix + name, nearest: prefix + nearest });
}

/** How many letters have to change, whatever their case. */
function distance(one: string, other: string): number {
  let row = [...`${other} `].map((_, index) => index);
  for (const letter of one.toLowerCase()) {
    const [first = 0] = row;
    const next = [first + 1];
    for (const [index, wanted] of [...other.toLowerCase()].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[index], row[index + 1], row[index]];
      next.push(Math.min(left + 1, above + 1, corner + Number(letter !== wanted)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
