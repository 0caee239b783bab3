import type { Tool } from "../tools/tool.js";

/** Which tools a model is offered. */
export interface OfferRules {
  /** Lists of the only ones, each from someone else; undefined: all. A tool must be in every list. */
  readonly allowed: readonly (readonly string[] | undefined)[];
  /** Never these. */
  readonly excluded: readonly string[];
}

/** The tools that the rules leave of those there are at the moment. (RFC-07) */
export function createOffer(
  tools: () => readonly Tool[],
  { allowed, excluded }: OfferRules,
): () => readonly Tool[] {
  const isAllowed = (name: string) => allowed.every((names) => names?.includes(name) ?? true);
  const isOffered = ({ name, isInternal = false }: Tool) =>
    isInternal || (isAllowed(name) && !excluded.includes(name));
  return () => tools().filter(isOffered);
}
