import type { ExtensionUris } from "../extension/extension-uri.js";
import { CANONICAL_FAMILY } from "./canonical/canonical-dialect.js";
import type { Dialect, DialectFamily, DialectRequest, DialectVariant } from "./dialect.js";
import { GEMINI_FAMILY } from "./gemini-dialect/gemini-dialect.js";
import { GUIDE_FAMILY } from "./guide/guide-dialect.js";
import { NOTES_FAMILY } from "./notes/notes-dialect.js";
import { REFERENCE_FAMILY } from "./reference/reference-dialect.js";

/** All families, in the order in which `recognises` is called. The last one recognises every request. */
export const DIALECT_FAMILIES: readonly DialectFamily[] = [
  GUIDE_FAMILY,
  GEMINI_FAMILY,
  NOTES_FAMILY,
  REFERENCE_FAMILY,
  CANONICAL_FAMILY,
];

/** The dialects of one server. */
export interface Dialects {
  /** Finds the dialect of a request. */
  ofRequest(request: DialectRequest, variant: DialectVariant): Dialect;
  /**
   * Finds the dialect for reading a task that was created in the dialect `createdIn`. A request that
   * activates the development-tool extension speaks A2A. Any other request gets the dialect
   * `createdIn` if that has the trait `answersTaskMethods`; otherwise A2A.
   */
  ofTask(createdIn: string | undefined, variant: DialectVariant): Dialect;
}

/** Creates the dialects of a server whose extensions have these URIs. */
export function createDialects(
  uris: ExtensionUris,
  families: readonly DialectFamily[] = DIALECT_FAMILIES,
): Dialects {
  const opened = families.map((family) => ({ family, find: family.create(uris) }));
  const ofA2a = CANONICAL_FAMILY.create(uris);
  return {
    ofRequest(request, variant) {
      const { family: named } = request;
      const found = opened.find(({ family }) =>
        named === undefined ? family.recognises(request, variant) : family.name === named,
      );
      return (found?.find ?? ofA2a)(variant);
    },
    ofTask(createdIn, variant) {
      const found = opened.find(({ family }) => family.name === createdIn);
      const dialect = variant.developmentTool ? undefined : found?.find(variant);
      return dialect?.traits.answersTaskMethods ? dialect : ofA2a(variant);
    },
  };
}
