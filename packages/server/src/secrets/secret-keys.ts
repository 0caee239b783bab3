import { createHmac, hkdfSync } from "node:crypto";
import { SetupError } from "@dt/schema";

/** The text of the keys, as the operator gives them. */
export interface SecretKeyOptions {
  /** At least 32 characters, for example the output of `openssl rand -base64 32`. */
  readonly key: string;
  /** The key before the last change. It only decrypts. */
  readonly previousKey?: string | undefined;
}

/** A key that encrypts and decrypts. */
export interface SecretKey {
  /** Public name of the key. It is stored with every secret, and does not show the key. */
  readonly id: string;
  /** Key of AES-256-GCM. */
  readonly cipherKey: Uint8Array;
  /** Key of digests. */
  readonly digestKey: Uint8Array;
}

/** Shorter texts could be guessed, because the derivation is fast. */
const MIN_LENGTH = 32;

/** Derives the keys, the current one first. Throws `SetupError` if one of them is too short. */
export function deriveSecretKeys({ key, previousKey }: SecretKeyOptions): readonly SecretKey[] {
  const current = derive("DT_SECRET_KEY", key);
  return previousKey === undefined
    ? [current]
    : [current, derive("DT_PREVIOUS_SECRET_KEY", previousKey)];
}

function derive(variable: string, text: string): SecretKey {
  if (text.length < MIN_LENGTH) {
    throw new SetupError(
      `${variable}: expected at least ${MIN_LENGTH} characters; openssl rand -base64 32 creates a key`,
    );
  }
  const part = (name: string) => new Uint8Array(hkdfSync("sha256", text, "dt", `dt ${name}`, 32));
  const id = createHmac("sha256", part("id")).update("id").digest("hex").slice(0, 8);
  return { id, cipherKey: part("cipher"), digestKey: part("digest") };
}
