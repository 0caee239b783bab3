import type { Tool } from "../tools/tool.js";

/** Which tools a model is offered. */
export interface OfferRules {
  /** The only ones; undefined: all. */
  readonly allowed: readonly string[] | undefined;
  /** Never these. */
  readonly excluded: readonly string[];
}

/** The tools that the rules leave of those there are at the moment. (RFC-07) */
export function createOffer(
  tools: () => readonly Tool[],
  { allowed, excluded }: OfferRules,
): () => readonly Tool[] {
  const isOffered = ({ name, isInternal = false }: Tool) =>
    isInternal || ((allowed === undefined || allowed.includes(name)) && !excluded.includes(name));
  return () => tools().filter(isOffered);
}
