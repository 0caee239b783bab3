import path from "node:path";
import type { VariableInfo } from "@dt/agent-core";
import { ROLES, type Role } from "@dt/schema";
import { type AllowList, AllowListError, parseAllowList } from "@dt/schema/address";
import { SetupError } from "@dt/server";

/** One environment variable: its documentation, and the function that reads it. */
export interface Variable<TValue> extends VariableInfo {
  /**
   * Parses `text`, which is undefined if the variable is not set. If the value is invalid, throws a
   * SetupError that names the variable.
   */
  parse(name: string, text: string | undefined): TValue;
}

interface Described {
  readonly effect: string;
  /** Description of the default, if the default is not a fixed value. */
  readonly defaultText?: string;
}

interface WithDefault<TDefault> extends Described {
  readonly default: TDefault;
}

/** Declares a whole number. */
export function wholeNumber<TDefault extends number | undefined>(
  options: WithDefault<TDefault> & { readonly min: number; readonly max?: number },
): Variable<number | TDefault> {
  const { min, max = Number.MAX_SAFE_INTEGER } = options;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    ...describe(options, `whole number ${range}`),
    parse(name, text) {
      if (!text) return options.default;
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (number >= min && number <= max) return number;
      throw new SetupError(`${name}: expected a whole number ${range}, got ${text}`);
    },
  };
}

/** Declares `true` or `false`; the default is false. */
export function flag(options: Described): Variable<boolean> {
  return {
    ...describe({ ...options, default: false }, "`true` or `false`"),
    parse(name, text) {
      if (!text || text === "false") return false;
      if (text === "true") return true;
      throw new SetupError(`${name}: expected true or false, got ${text}`);
    },
  };
}

/** Declares one of a few words. */
export function word<TWord extends string, TDefault extends TWord | undefined>(
  options: WithDefault<TDefault> & { readonly words: readonly TWord[] },
): Variable<TWord | TDefault> {
  const { words } = options;
  return {
    ...describe(options, words.map((each) => `\`${each}\``).join(", ")),
    parse(name, text) {
      if (!text) return options.default;
      const found = words.find((each) => each === text);
      if (found !== undefined) return found;
      throw new SetupError(`${name}: expected one of ${words.join(", ")}, got ${text}`);
    },
  };
}

/** Declares any text, such as a host or a path. */
export function text<TDefault extends string | undefined>(
  options: WithDefault<TDefault> & { readonly type?: string },
): Variable<string | TDefault> {
  return {
    ...describe(options, options.type ?? "text"),
    parse: (_name, value) => value || options.default,
  };
}

/** Declares a secret, which may also be in a file that `NAME_FILE` names. */
export function secret(options: Described): Variable<string | undefined> {
  return { ...text({ ...options, default: undefined, type: "secret" }), hasFile: true };
}

/** A store that replaces the database file. */
export type StoreAddress =
  | { readonly type: "postgres"; readonly url: string }
  | { readonly type: "gcs"; readonly prefix: string };

/** Declares the address of a store. It is a secret, because it may contain a password. */
export function storeAddress(options: Described): Variable<StoreAddress | undefined> {
  return {
    ...secret(options),
    parse(name, value) {
      if (!value) return undefined;
      if (/^postgres(ql)?:/.test(value)) return { type: "postgres", url: value };
      const [, prefix] = /^gcs(?::([\w./-]{1,200}))?$/.exec(value) ?? [];
      if (value === "gcs" || prefix !== undefined) return { type: "gcs", prefix: prefix ?? "" };
      throw new SetupError(
        `${name}: expected gcs, gcs:FOLDER, or an address such as postgres://user:password@host/database`,
      );
    },
  };
}

/** Declares origins of web pages, separated by commas. */
export function origins(options: Described): Variable<readonly string[]> {
  return {
    ...describe(options, "origins, separated by commas"),
    parse(name, value) {
      const found = splitList(value);
      // A browser sends an origin without a path. Patterns, and the `null` of a local file, are refused.
      const wrong = found.find((each) => !URL.canParse(each) || new URL(each).origin !== each);
      if (wrong === undefined) return found;
      throw new SetupError(`${name}: expected origins such as https://ide.example, got ${wrong}`);
    },
  };
}

/** Declares the address of a server. */
export function serverAddress(options: Described): Variable<string | undefined> {
  return {
    ...describe(options, "address"),
    parse(name, value) {
      if (!value) return undefined;
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      const isPlain = parsed?.search === "" && parsed.hash === "" && parsed.username === "";
      if (parsed !== undefined && isPlain && /^https?:$/.test(parsed.protocol)) return parsed.href;
      throw new SetupError(
        `${name}: expected an address such as https://dt.example/, got ${value}`,
      );
    },
  };
}

/** Declares host names, separated by commas. */
export function hostNames(options: Described): Variable<readonly string[]> {
  return {
    ...describe(options, "host names, separated by commas"),
    parse(name, value) {
      const found = splitList(value).map((each) => each.toLowerCase());
      const wrong = found.find(
        (each) => !/^[a-z\d]([a-z\d.-]*[a-z\d])?$|^[\da-f:.]*:[\da-f:.]*$/.test(each),
      );
      if (wrong === undefined) return found;
      throw new SetupError(`${name}: expected host names such as dt.example, got ${wrong}`);
    },
  };
}

/** Algorithms of signatures with a private and a public key. */
const SIGNATURE_ALGORITHMS = [
  ...["RS256", "RS384", "RS512"],
  ...["PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512"],
  ...["EdDSA", "Ed25519"],
];

/** Declares algorithms of signatures, separated by commas. `none` and algorithms with a shared key are refused. */
export function signatureAlgorithms(options: WithDefault<string>): Variable<readonly string[]> {
  return {
    ...describe(options, "names, separated by commas"),
    parse(name, value) {
      const found = splitList(value || options.default);
      const wrong = found.find((each) => !SIGNATURE_ALGORITHMS.includes(each));
      if (wrong === undefined) return found;
      throw new SetupError(
        `${name}: expected names of ${SIGNATURE_ALGORITHMS.join(", ")}, got ${wrong}`,
      );
    },
  };
}

/** Declares pairs such as `leads=admin`: a value of a claim, and the role of users with that value. */
export function roleNames(
  options: Described,
): Variable<Readonly<Record<string, Role>> | undefined> {
  return {
    ...describe(options, "`value=role`, separated by commas"),
    parse(name, value) {
      if (!value) return undefined;
      const pairs = splitList(value).map((each) => {
        const at = each.lastIndexOf("=");
        const role = ROLES.find((known) => known === each.slice(at + 1));
        if (at > 0 && role !== undefined) return [each.slice(0, at), role] as const;
        throw new SetupError(
          `${name}: expected pairs such as leads=admin with one of the roles ${ROLES.join(", ")}, got ${each}`,
        );
      });
      return Object.fromEntries(pairs);
    },
  };
}

/** Declares absolute directories, separated like `PATH`. */
export function directories(options: Described): Variable<readonly string[] | undefined> {
  return {
    ...describe(options, "directories, separated like `PATH`"),
    parse(name, value) {
      if (!value) return undefined;
      const found = value.split(path.delimiter).filter((each) => each !== "");
      const relative = found.find((each) => !path.isAbsolute(each));
      if (relative === undefined) return found;
      throw new SetupError(`${name}: expected absolute paths, got ${relative}`);
    },
  };
}

/** Declares hosts, addresses and ranges, separated by commas. */
export function addresses(options: Described): Variable<AllowList> {
  return {
    ...describe(options, ADDRESS_TYPE),
    parse(name, value) {
      try {
        return parseAllowList(splitList(value));
      } catch (cause) {
        if (!(cause instanceof AllowListError)) throw cause;
        throw new SetupError(`${name}: ${cause.message}`, { cause });
      }
    },
  };
}

/** Declares hosts, addresses and ranges that another module parses. */
export function addressList(options: Described): Variable<readonly string[] | undefined> {
  return {
    ...describe(options, ADDRESS_TYPE),
    parse: (_name, value) => (value ? splitList(value) : undefined),
  };
}

const ADDRESS_TYPE = "hosts, addresses and ranges, separated by commas";

function splitList(value = ""): readonly string[] {
  return value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function describe(
  options: Described & { readonly default?: string | number | boolean | undefined },
  type: string,
): VariableInfo {
  const { effect, defaultText, default: value } = options;
  const shown = value === undefined ? "none" : `\`${value}\``;
  return { type, default: defaultText ?? shown, effect };
}
