import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The parts of a token. */
export interface TokenParts {
  /** Public part, by which the store finds the record of the token. */
  readonly id: string;
  /** 256 random bits. */
  readonly secret: string;
}

const PREFIX = "dt_";
const TOKEN = /^dt_([0-9a-f]{16})_([\w-]{43})$/;

/** Creates the parts of a new token. */
export function createTokenParts(): TokenParts {
  return {
    id: randomBytes(8).toString("hex"),
    secret: randomBytes(32).toString("base64url"),
  };
}

/** Encodes a token as the text that its user gets. */
export function encodeToken({ id, secret }: TokenParts): string {
  return `${PREFIX}${id}_${secret}`;
}

/** Decodes a token; undefined if the text is not one. */
export function decodeToken(text: string): TokenParts | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Returns true if a text is meant as a token of dt, even if it is damaged. */
export function isOurToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Computes the digest of a secret. One round is enough, because a secret of 256 random bits cannot be guessed. */
export function digestSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Compares a secret with a digest, in constant time, so that the duration reveals nothing about them. */
export function hasDigest(secret: string, digest: string): boolean {
  const [one, other] = [digestSecret(secret), digest].map((text) => Buffer.from(text));
  return one !== undefined && other?.length === one.length && timingSafeEqual(one, other);
}
