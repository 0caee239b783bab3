import { type A2aVersion, type Activation, spellings } from "@dt/schema/wire";

/** Returns the header that lists the active extensions; no header if no extension is active. */
export function extensionHeaders(
  { developmentTool, session, uris }: Activation,
  version: A2aVersion,
): Readonly<Record<string, string>> {
  const active = [
    ...(developmentTool ? [uris.developmentTool] : []),
    ...(session ? [uris.session] : []),
  ];
  if (active.length === 0) return {};
  return { [spellings[version].extensionsHeader]: active.join(", ") };
}
