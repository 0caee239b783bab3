import { ProtocolError, type Role } from "@dt/schema";
import { createDeviceUser, isDeviceUser } from "../access/auth/device-user.js";
import { issueToken } from "../access/auth/issue-token.js";
import { decodeToken, hasDigest } from "../access/auth/token-format.js";
import { isValidToken } from "../access/auth/token-validity.js";
import { type Clock, toClock } from "../clock.js";
import type { TokenRecord, TokenStore } from "../store/token-store.js";
import {
  advanceOffer,
  MAX_ATTEMPTS,
  OFFER_MS,
  type OfferVerdict,
  type PairingOffer,
} from "./advance-offer.js";
import { toDeviceName } from "./device-name.js";
import { createPairingCode, digestCode } from "./pairing-code.js";

/** Gives devices their own tokens, in exchange for a code that works once. */
export interface Pairing {
  /** Offers a role to the next device. Returns the code, which replaces the code of an earlier offer. */
  offer(role: Role): string;
  /** Exchanges the code for a token. Rejects with `forbidden` if the code is wrong, or if no offer is open. */
  pair(request: PairRequest): Promise<PairedDevice & { readonly token: string }>;
  /** Lists the devices whose token is valid, in the order of pairing. */
  listDevices(): Promise<readonly PairedDevice[]>;
  /** Revokes the token of a device. Its streams end within two seconds. Resolves with false if there is no such device. */
  revoke(name: string): Promise<boolean>;
}

/** A request of a device to be paired. */
export interface PairRequest {
  readonly code: string;
  /** The name that the device wants. */
  readonly name: string;
  /** Token of an earlier pairing of the same device. It is revoked. */
  readonly earlierToken?: string | undefined;
}

/** A device with a token of its own. */
export interface PairedDevice {
  readonly name: string;
  readonly role: Role;
  readonly pairedAt: string;
  readonly expiresAt?: string;
  /** Time of the last use, with a precision of about a minute. */
  readonly lastUsedAt?: string;
}

/** Options of {@link createPairing}. */
export interface PairingOptions extends Partial<Clock> {
  /** Stores the tokens of the devices. */
  readonly store: Pick<TokenStore, "createToken" | "findTokens" | "listTokens" | "revokeToken">;
  /** Called when a device was paired. */
  onPaired?(device: PairedDevice): void;
  /** Called when an offer has ended because too many codes were wrong. */
  onTriedTooOften?(): void;
}

/** Time after which the token of a device ends by itself. */
const DEVICE_MS = 30 * 24 * 60 * 60_000;

/** Creates a pairing without an open offer. */
export function createPairing(options: PairingOptions): Pairing {
  const { store, onPaired = () => {}, onTriedTooOften = () => {} } = options;
  const clock = toClock(options);
  const nowText = () => clock.now().toISOString();
  let offer: PairingOffer | undefined;

  async function listValid(): Promise<readonly TokenRecord[]> {
    const at = nowText();
    return (await store.listTokens()).filter(
      (token) => isDeviceUser(token.user) && isValidToken(token, at),
    );
  }

  async function revokeEarlier(text: string): Promise<void> {
    const parts = decodeToken(text);
    const [token] = parts === undefined ? [] : await store.findTokens([parts.id]);
    if (parts === undefined || token === undefined || !isDeviceUser(token.user)) return;
    if (hasDigest(parts.secret, token.digest)) await store.revokeToken(token, nowText());
  }

  /** Uses up the code before anything is awaited, so that a second request with the same code is refused. */
  function redeem(code: string): Role {
    const step = advanceOffer(offer, code, clock.now().getTime());
    offer = step.offer;
    const { verdict } = step;
    if (verdict.type === "accepted") return verdict.role;
    if (verdict.type === "wrong" && verdict.attemptsLeft === 0) onTriedTooOften();
    throw new ProtocolError("forbidden", explainRefusal(verdict));
  }

  return {
    offer(role) {
      const code = createPairingCode();
      const expiresAt = clock.now().getTime() + OFFER_MS;
      offer = { digest: digestCode(code), role, expiresAt, attemptsLeft: MAX_ATTEMPTS };
      return code;
    },
    async pair({ code, name: wanted, earlierToken }) {
      const role = redeem(code);
      if (earlierToken !== undefined) await revokeEarlier(earlierToken);
      const taken = (await listValid()).map(({ name }) => name);
      const name = toDeviceName(wanted, taken);
      const now = clock.now();
      const device = { name, role, pairedAt: now.toISOString() };
      const token = await issueToken(store, {
        user: createDeviceUser(),
        name,
        role,
        now,
        lifetimeMs: DEVICE_MS,
      });
      onPaired(device);
      return { ...device, token, expiresAt: new Date(now.getTime() + DEVICE_MS).toISOString() };
    },
    async listDevices() {
      const tokens = [...(await listValid())];
      return tokens.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1)).map(toDevice);
    },
    async revoke(name) {
      const found = (await listValid()).filter((token) => token.name === name);
      const at = nowText();
      const revoked = await Promise.all(found.map((token) => store.revokeToken(token, at)));
      return revoked.includes(true);
    },
  };
}

function toDevice({ name, role, createdAt, expiresAt, lastUsedAt }: TokenRecord): PairedDevice {
  return {
    name,
    role,
    pairedAt: createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  };
}

const ADVICE = "type /share in the terminal for a new code";

function explainRefusal(verdict: Exclude<OfferVerdict, { readonly type: "accepted" }>): string {
  if (verdict.type === "closed") {
    return `no device can be paired now, because a code works once and for ten minutes; ${ADVICE}`;
  }
  const { attemptsLeft } = verdict;
  if (attemptsLeft === 0) return `the code was wrong too often; ${ADVICE}`;
  return `the code is wrong; attempts left: ${attemptsLeft}`;
}
