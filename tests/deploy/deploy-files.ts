import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Document, parse, parseAllDocuments } from "yaml";
import { readText, root } from "../repository/repository.js";

/** A value of a YAML or JSON file that a test reads freely. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of the tests check the shape of these files.
export type Parsed = any;

/** Reads a YAML file; merge keys such as `<<: *name` are applied. */
export function readYaml(file: string): Parsed {
  return parse(readText(file), { merge: true });
}

/** Reads the documents of a YAML file, and checks that they have no fault. */
export function readYamlDocuments(file: string): readonly Parsed[] {
  return parseAllDocuments(readText(file)).map((document) => {
    const { errors } = document as Document;
    if (errors.length > 0) throw errors[0];
    return (document as Document).toJS();
  });
}

interface VariableTables {
  readonly variables: object;
  readonly settings: { readonly settingVariables: object; readonly modelVariables: object };
}

// The same built file is read by the scripts that write the reference of the settings.
const file = pathToFileURL(path.join(root, "apps/server/dist/reference.js")).href;
const { SERVER_REFERENCE }: { readonly SERVER_REFERENCE: VariableTables } = await import(file);

/** Names of all variables that dt-server reads. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set(
  [
    SERVER_REFERENCE.variables,
    SERVER_REFERENCE.settings.settingVariables,
    SERVER_REFERENCE.settings.modelVariables,
  ].flatMap((table) =>
    Object.entries(table).flatMap(([name, info]) =>
      typeof info === "object" && info !== null && "hasFile" in info
        ? [name, `${name}_FILE`]
        : [name],
    ),
  ),
);

/** Returns the names in a text that look like variables of dt, but that dt-server does not read. */
export function unknownVariablesIn(text: string): readonly string[] {
  const names = text.match(/\b(?:DT|CODER_AGENT)_[A-Z_]*[A-Z]\b/g) ?? [];
  return [...new Set(names)].filter((name) => !KNOWN_VARIABLES.has(name));
}
