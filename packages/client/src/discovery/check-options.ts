import { isObject, type JsonObject } from "@dt/schema";
import type { ConnectOptions } from "../connect-options.js";
import { findUnknownName } from "../errors/find-unknown-name.js";
import { SetupFaultError } from "../errors/setup-fault.js";
import type { ReconnectSchedule } from "../transport/reconnect.js";

type OptionKinds<TOptions> = Record<keyof Required<TOptions>, string[]>;

/** Allowed values of each option, or the allowed results of `typeof` for its value. */
const OPTION_TYPES = {
  version: ["1.0", "0.3"],
  transport: ["sse", "websocket", "auto"],
  dialect: ["canonical", "gemini"],
  clientName: ["string"],
  token: ["string", "function"],
  headers: ["object", "function"],
  fetch: ["function"],
  WebSocket: ["function"],
  silenceMs: ["number"],
  timeoutMs: ["number"],
  reconnect: ["object"],
  now: ["function"],
  uris: ["object"],
  keepsOrigin: ["boolean"],
  acceptsPlain: ["boolean"],
  signal: ["object"],
} satisfies OptionKinds<ConnectOptions>;

const RECONNECT_TYPES = {
  baseMs: ["number"],
  maxMs: ["number"],
  maxAttempts: ["number"],
} satisfies OptionKinds<ReconnectSchedule>;

/**
 * Throws {@link SetupFaultError} if an option has an unknown name or a wrong type, because JavaScript
 * callers have no compiler.
 */
export function checkOptions(options: unknown): void {
  check({ options }, { options: ["object"] });
  const { reconnect = {} } = check(options, OPTION_TYPES);
  check(reconnect, RECONNECT_TYPES, "reconnect.");
}

function check(options: unknown, table: Record<string, string[]>, prefix = ""): JsonObject {
  const given = isObject(options) ? options : {};
  const names = Object.keys(table);
  const misspelt = findUnknownName(given, names);
  if (misspelt !== undefined) {
    throw new SetupFaultError({ type: "name", prefix, name: misspelt, known: names });
  }
  for (const [name, known] of Object.entries(table)) {
    const value = given[name];
    const isInvalid = value === null || (typeof value === "number" && !(value >= 0));
    if (value === undefined || known.some((one) => one === value)) continue;
    if (!isInvalid && known.includes(typeof value)) continue;
    throw new SetupFaultError({ type: "option", name: prefix + name, given: value, known });
  }
  return given;
}
