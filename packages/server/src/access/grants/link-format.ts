import type { TokenParts } from "../auth/token-format.js";

const PREFIX = "dtl_";
const LINK = /^dtl_([0-9a-f]{16})_([\w-]{43})$/;

/** Encodes the secret of a link: the id of its grant and 256 random bits. */
export function encodeLink({ id, secret }: TokenParts): string {
  return `${PREFIX}${id}_${secret}`;
}

/** Decodes the secret of a link; undefined if the text is not one. */
export function decodeLink(text: string): TokenParts | undefined {
  const [, id, secret] = LINK.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}
