const REDACTED = "[redacted]";

/** What secrets look like, wherever they stand: in a header, an address, a field of JSON. */
const patterns: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\b(?:AIza[\w-]{20,}|sk-[\w-]{16,}|gh[pousr]_\w{20,}|ya29\.[\w-]{20,})/g, REDACTED],
  [/([?&](?:key|api_?key|token|access_token|secret)=)[^&\s"'\\]+/gi, `$1${REDACTED}`],
  [
    /("[\w-]*(?:authorization|api[_-]?key|token|secret|password|cookie)"\s*:\s*")(?:[^"\\]|\\.)*/gi,
    `$1${REDACTED}`,
  ],
  // The same in JSON that is text inside JSON.
  [
    /(\\"[\w-]*(?:authorization|api[_-]?key|token|secret|password|cookie)\\"\s*:\s*\\")[^"\\]*/gi,
    `$1${REDACTED}`,
  ],
];

/** A function that takes secrets out of a line: those that are given, and what looks like one. */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  // A short value would be found everywhere and is no secret.
  const values = [...new Set(secrets)]
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .sort((left, right) => right.length - left.length);
  return (line) => {
    const known = values.reduce((text, secret) => text.replaceAll(secret, REDACTED), line);
    return patterns.reduce(
      (text, [pattern, replacement]) => text.replace(pattern, replacement),
      known,
    );
  };
}

/** The values of an environment that are secrets by the name of their variable. */
export function secretsOf(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value && /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$/i.test(name) ? [value] : [],
  );
}
