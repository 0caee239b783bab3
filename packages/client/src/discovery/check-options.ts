import { isObject } from "@dt/schema";
import { FaultySetup } from "../errors/setup-fault.js";

const choices = {
  version: ["1.0", "0.3"],
  transport: ["sse", "websocket", "auto"],
  dialect: ["canonical", "gemini"],
};

const kinds = {
  clientName: ["string"],
  token: ["string", "function"],
  headers: ["object", "function"],
  fetch: ["function"],
  WebSocket: ["function"],
  silenceMs: ["number"],
  reconnect: ["object"],
};

const reconnectKinds = { baseMs: ["number"], maxMs: ["number"], maxAttempts: ["number"] };

/** What a program without types may have got wrong is not taken for something else. */
export function checkOptions(options: unknown): void {
  if (!isObject(options)) throw wrongKind("options", options, ["object"]);
  for (const [name, known] of Object.entries(choices)) {
    const given = options[name];
    if (given === undefined || known.some((choice) => choice === given)) continue;
    throw new FaultySetup({ type: "choice", name, given, known });
  }
  checkKinds(options, kinds);
  checkKinds(options.reconnect ?? {}, reconnectKinds, "reconnect.");
}

function checkKinds(given: object, wanted: Record<string, string[]>, prefix = ""): void {
  for (const [name, known] of Object.entries(wanted)) {
    const value: unknown = (given as Record<string, unknown>)[name];
    const isKnown = value !== null && known.includes(typeof value);
    const isBelow = typeof value === "number" && !(value >= 0);
    if (value !== undefined && (!isKnown || isBelow)) throw wrongKind(prefix + name, value, known);
  }
}

function wrongKind(name: string, given: unknown, kinds: readonly string[]): FaultySetup {
  return new FaultySetup({ type: "kind", name, given, kinds });
}
