import path from "node:path";
import { type AllowList, AllowListError, parseAllowList } from "@dt/schema/address";
import { SetupError } from "@dt/server";

/** One variable: its name, and what it is set to. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
}

/** A whole number from `min` to `max`, or undefined where the variable is not set. */
export function parseNumber(
  { name, value }: Variable,
  { min, max = Number.MAX_SAFE_INTEGER }: { readonly min: number; readonly max?: number },
): number | undefined {
  if (value === undefined || value === "") return undefined;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new SetupError(`${name}: expected a whole number ${range}, got ${value}`);
}

/** `true` or `false`; false where the variable is not set. */
export function parseFlag({ name, value }: Variable): boolean {
  if (value === undefined || value === "" || value === "false") return false;
  if (value === "true") return true;
  throw new SetupError(`${name}: expected true or false, got ${value}`);
}

/** One of a few words, or undefined where the variable is not set. */
export function parseWord<TWord extends string>(
  { name, value }: Variable,
  words: readonly TWord[],
): TWord | undefined {
  if (value === undefined || value === "") return undefined;
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  throw new SetupError(`${name}: expected one of ${words.join(", ")}, got ${value}`);
}

/** Origins of web pages, separated by commas; none where the variable is not set. */
export function parseOrigins({ name, value }: Variable): readonly string[] {
  const origins = (value ?? "").split(",").map((origin) => origin.trim());
  const named = origins.filter((origin) => origin !== "");
  // As a browser would send it: neither a pattern, nor a path, nor the `null` of a file.
  const wrong = named.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (wrong === undefined) return named;
  throw new SetupError(`${name}: expected origins such as https://ide.example, got ${wrong}`);
}

/** Absolute directories separated like `PATH`, or undefined where the variable is not set. */
export function parseDirectories({ name, value }: Variable): readonly string[] | undefined {
  if (value === undefined || value === "") return undefined;
  const directories = value.split(path.delimiter).filter((directory) => directory !== "");
  const relative = directories.find((directory) => !path.isAbsolute(directory));
  if (relative === undefined) return directories;
  throw new SetupError(`${name}: expected absolute paths, got ${relative}`);
}

/** Hosts, addresses and ranges separated by commas; none if the variable is not set. */
export function parseAddresses(variable: Variable): AllowList {
  try {
    return parseAllowList(parseList(variable) ?? []);
  } catch (cause) {
    if (!(cause instanceof AllowListError)) throw cause;
    throw new SetupError(`${variable.name}: ${cause.message}`, { cause });
  }
}

/** Words separated by commas, or undefined where the variable is not set. */
export function parseList({ value }: Variable): readonly string[] | undefined {
  if (value === undefined || value === "") return undefined;
  return value
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
