import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";

/** Keeps what a server was told in confidence out of what everyone reads. */
export interface Redaction {
  /** An error without any value of the server's environment, headers or address. */
  error(text: string): string;
  /** Anything a tool answered, without the values whose names say that they are secret. */
  output<TValue>(value: TValue): TValue;
}

// Shorter ones are words such as "true", and hiding them would hide the error.
const shortestHidden = 6;
const secretName = /key|token|secret|pass|auth|credential|cookie|private|dsn|signature/i;
const hidden = "[redacted]";

/** The redaction for one server. */
export function createRedaction(server: McpServerSettings): Redaction {
  const values = "url" in server ? valuesOfAddress(server) : Object.entries(server.env ?? {});
  const all = longestFirst(values);
  const secret = longestFirst(values.filter(([name]) => secretName.test(name)));
  return {
    error: (text) => hide(text, all),
    // Strings stay strings and everything else keeps its shape.
    output: (value) => mapStrings(value, (text) => hide(text, secret)) as typeof value,
  };
}

type NamedValue = readonly [name: string, value: string];

function valuesOfAddress({
  url,
  headers = {},
}: Extract<McpServerSettings, { url: string }>): readonly NamedValue[] {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const query = [...(address?.searchParams ?? [])];
  // "Bearer abc" is secret as a whole and in its parts.
  const parts = Object.entries(headers).flatMap(([name, value]) =>
    [value, ...value.split(/\s+/)].map((part) => [name, part] as const),
  );
  return [...parts, ...query, ["password", address?.password ?? ""]];
}

function longestFirst(values: readonly NamedValue[]): readonly string[] {
  const long = values.map(([, value]) => value).filter((value) => value.length >= shortestHidden);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

function hide(text: string, values: readonly string[]): string {
  return values.reduce((rest, value) => rest.replaceAll(value, hidden), text);
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]),
  );
}
