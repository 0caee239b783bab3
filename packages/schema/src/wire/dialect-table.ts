import type { ExtensionUris } from "../extension/extension-uri.js";
import { canonicalFamily } from "./canonical/canonical-dialect.js";
import type { Dialect, DialectFamily, DialectRequest, DialectVariant } from "./dialect.js";
import { guideFamily } from "./guide/guide-dialect.js";

/** Every family. The first one that recognises a request speaks it, so A2A's own comes last. */
export const dialectFamilies: readonly DialectFamily[] = [guideFamily, canonicalFamily];

/** The dialects of one server. */
export interface Dialects {
  /** Finds the dialect that a request speaks. */
  ofRequest(request: DialectRequest, variant: DialectVariant): Dialect;
  /**
   * Finds the dialect for a task that is read. A request that activates an extension speaks A2A; one without
   * such a hint is answered in the dialect in which the task was created.
   */
  ofTask(createdIn: string | undefined, variant: DialectVariant): Dialect;
}

/** Creates the dialects of a server whose extensions have these URIs. */
export function createDialects(
  uris: ExtensionUris,
  families: readonly DialectFamily[] = dialectFamilies,
): Dialects {
  const opened = families.map((family) => ({ family, find: family.create(uris) }));
  const ofA2a = canonicalFamily.create(uris);
  return {
    ofRequest(request, variant) {
      const found = opened.find(({ family }) => family.recognises(request));
      return (found?.find ?? ofA2a)(variant);
    },
    ofTask(createdIn, variant) {
      const found = opened.find(({ family }) => family.name === createdIn);
      const dialect = variant.developmentTool ? undefined : found?.find(variant);
      return dialect?.traits.answersTaskMethods ? dialect : ofA2a(variant);
    },
  };
}
