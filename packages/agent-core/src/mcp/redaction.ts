import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";

/** Removes the secrets of one server from texts that the model and clients see. */
export interface Redaction {
  /** Removes the values of the environment, the headers, and the URL's query and password from an error. */
  error(text: string): string;
  /** Removes only the values whose names sound secret, such as `API_TOKEN`, from the output of a tool. */
  output<TValue>(value: TValue): TValue;
}

// Shorter values are often words such as "true", and removing them would make errors unreadable.
const MIN_HIDDEN_LENGTH = 6;
const SECRET_NAME = /key|token|secret|pass|auth|credential|cookie|private|dsn|signature/i;
const REDACTED = "[redacted]";

/** Creates the redaction of one server. */
export function createRedaction(server: McpServerSettings): Redaction {
  const values = "url" in server ? valuesOfAddress(server) : Object.entries(server.env ?? {});
  const all = longestFirst(values);
  const secret = longestFirst(values.filter(([name]) => SECRET_NAME.test(name)));
  return {
    error: (text) => hide(text, all),
    // The cast is safe, because only the content of strings changes.
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
  // The whole value `Bearer abc` is hidden, and also each of its words, because an error may contain only one
  // of the words.
  const parts = Object.entries(headers).flatMap(([name, value]) =>
    [value, ...value.split(/\s+/)].map((part) => [name, part] as const),
  );
  return [...parts, ...query, ["password", address?.password ?? ""]];
}

function longestFirst(values: readonly NamedValue[]): readonly string[] {
  const long = values
    .map(([, value]) => value)
    .filter((value) => value.length >= MIN_HIDDEN_LENGTH);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

function hide(text: string, values: readonly string[]): string {
  return values.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]),
  );
}
