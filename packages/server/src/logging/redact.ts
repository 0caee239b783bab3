const REDACTED = "[redacted]";

/** Patterns of secrets in headers, URLs and JSON, with their replacements. */
const PATTERNS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [
    /\b(?:dtl?_[0-9a-f]{16}_[\w-]{20,}|AIza[\w-]{20,}|sk-[\w-]{16,}|gh[pousr]_\w{20,}|ya29\.[\w-]{20,})/g,
    REDACTED,
  ],
  [/([?&](?:key|api_?key|token|access_token|secret)=)[^&\s"'\\]+/gi, `$1${REDACTED}`],
  [
    /("[\w-]*(?:authorization|api[_-]?key|token|secret|password|cookie)"\s*:\s*")(?:[^"\\]|\\.)*/gi,
    `$1${REDACTED}`,
  ],
  // The same pattern for JSON inside a JSON string.
  [
    /(\\"[\w-]*(?:authorization|api[_-]?key|token|secret|password|cookie)\\"\s*:\s*\\")[^"\\]*/gi,
    `$1${REDACTED}`,
  ],
];

/** Creates a function that redacts the given secrets, and other text that looks like a secret. */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  // Short values are skipped, because they occur in ordinary text.
  const values = [...new Set(secrets)]
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .sort((left, right) => right.length - left.length);
  return (line) => {
    const known = values.reduce((text, secret) => text.replaceAll(secret, REDACTED), line);
    return PATTERNS.reduce(
      (text, [pattern, replacement]) => text.replace(pattern, replacement),
      known,
    );
  };
}

/** Returns the values of all variables whose name ends like that of a secret, such as `API_KEY`. */
export function secretsOf(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value && /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$/i.test(name) ? [value] : [],
  );
}
