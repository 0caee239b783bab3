import type { A2aVersion, Activation } from "@dt/schema/wire";

/** The header that names the extensions which are active; none where none is. */
export function extensionHeaders(
  { developmentTool, session, uris }: Activation,
  version: A2aVersion,
): Readonly<Record<string, string>> {
  const active = [
    ...(developmentTool ? [uris.developmentTool] : []),
    ...(session ? [uris.session] : []),
  ];
  if (active.length === 0) return {};
  return { [version === "1.0" ? "A2A-Extensions" : "X-A2A-Extensions"]: active.join(", ") };
}
