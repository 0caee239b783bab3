import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomUUID } from "node:crypto";
import type { SecretKey } from "./secret-keys.js";

/** A secret that was opened, or the reason why it is lost. Messages write the reason after the name of the secret. */
export type OpenedSecret =
  | { readonly type: "opened"; readonly text: string }
  | { readonly type: "lost"; readonly reason: string };

/**
 * Keeps secrets that clients bring. With a key, a secret is encrypted, and the result may be stored. Without a key, the
 * secret stays in memory, and the result only refers to it.
 */
export interface SecretVault {
  /** Seals a secret for one stored record, such as a session. It can be opened only for the same record. */
  seal(text: string, recordKey: string): string;
  open(sealed: string, recordKey: string): OpenedSecret;
  /** Removes the secret of a record from memory. */
  forget(recordKey: string): void;
  /**
   * Returns a digest that does not reveal the text. With another key, or in another process without a key,
   * the digest of the same text is different.
   */
  digest(text: string): string;
}

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a vault. The first key encrypts; every key decrypts. Without keys, secrets stay in memory. */
export function createSecretVault(keys: readonly SecretKey[] = []): SecretVault {
  const [current] = keys;
  return current === undefined ? createMemoryVault() : createEncryptingVault(current, keys);
}

function createEncryptingVault(current: SecretKey, keys: readonly SecretKey[]): SecretVault {
  return {
    seal(text, recordKey) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.cipherKey, iv);
      // A secret that somebody moves to another row cannot be opened there.
      cipher.setAAD(Buffer.from(recordKey));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return `1.${current.id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    open(sealed, recordKey) {
      const [version, keyId = "", data = ""] = sealed.split(".");
      if (version !== "1") return GONE;
      const key = keys.find(({ id }) => id === keyId);
      if (key !== undefined) return decrypt(key, Buffer.from(data, "base64url"), recordKey);
      return lost(
        `is encrypted with the key ${keyId}, which this server does not have; set DT_PREVIOUS_SECRET_KEY to that key`,
      );
    },
    forget() {},
    digest: (text) => createHmac("sha256", current.digestKey).update(text).digest("hex"),
  };
}

function decrypt(key: SecretKey, data: Buffer, recordKey: string): OpenedSecret {
  try {
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(
      ALGORITHM,
      key.cipherKey,
      data.subarray(0, IV_BYTES),
      options,
    );
    decipher.setAAD(Buffer.from(recordKey));
    decipher.setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const body = data.subarray(IV_BYTES + TAG_BYTES);
    return {
      type: "opened",
      text: decipher.update(body, undefined, "utf8") + decipher.final("utf8"),
    };
  } catch {
    return lost("cannot be decrypted, because it was changed in the store");
  }
}

/** Maximum number of characters that a vault keeps in memory. Beyond it, the oldest secrets are lost. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

function createMemoryVault(): SecretVault {
  const secrets = new Map<string, { readonly text: string; readonly sealed: string }>();
  const digestKey = randomBytes(32);
  let characters = 0;

  function forget(recordKey: string): void {
    characters -= secrets.get(recordKey)?.text.length ?? 0;
    secrets.delete(recordKey);
  }

  return {
    seal(text, recordKey) {
      forget(recordKey);
      const sealed = `0.${randomUUID()}`;
      secrets.set(recordKey, { text, sealed });
      characters += text.length;
      for (const oldest of secrets.keys()) {
        if (characters <= MAX_CHARACTERS) break;
        forget(oldest);
      }
      return sealed;
    },
    open(sealed, recordKey) {
      const found = secrets.get(recordKey);
      if (found?.sealed === sealed) return { type: "opened", text: found.text };
      const [version, keyId = ""] = sealed.split(".");
      if (version !== "1") return GONE;
      return lost(`is encrypted with the key ${keyId}; start the server with that DT_SECRET_KEY`);
    },
    forget,
    digest: (text) => createHmac("sha256", digestKey).update(text).digest("hex"),
  };
}

const GONE = lost(
  "was kept in memory only and is gone since the server restarted; with DT_SECRET_KEY, the server keeps such secrets encrypted",
);

function lost(reason: string): OpenedSecret {
  return { type: "lost", reason };
}
