import type { Role } from "@dt/schema";
import { isCode } from "./pairing-code.js";

/** An offer to pair one device. */
export interface PairingOffer {
  /** Digest of the code. */
  readonly digest: string;
  /** Role that the device gets. */
  readonly role: Role;
  /** Time at which the offer ends, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly attemptsLeft: number;
}

/** Time in which a code can be used. */
export const OFFER_MS = 10 * 60_000;

/** Number of codes that may be tried before the offer ends. */
export const MAX_ATTEMPTS = 5;

/** The result of a code that a device has sent. */
export type OfferVerdict =
  | { readonly type: "accepted"; readonly role: Role }
  | { readonly type: "wrong"; readonly attemptsLeft: number }
  /** No offer is open: there was none, or it was used, has expired or got too many wrong codes. */
  | { readonly type: "closed" };

/** An offer after a code was tried; undefined if the offer has ended. */
export interface OfferStep {
  readonly offer: PairingOffer | undefined;
  readonly verdict: OfferVerdict;
}

/** Tries a code. The right code ends the offer; a wrong code uses up one of its attempts. Pure. */
export function advanceOffer(
  offer: PairingOffer | undefined,
  code: string,
  now: number,
): OfferStep {
  if (offer === undefined || now >= offer.expiresAt) {
    return { offer: undefined, verdict: { type: "closed" } };
  }
  const { digest, role } = offer;
  if (isCode(code, digest)) return { offer: undefined, verdict: { type: "accepted", role } };
  const attemptsLeft = offer.attemptsLeft - 1;
  return {
    offer: attemptsLeft > 0 ? { ...offer, attemptsLeft } : undefined,
    verdict: { type: "wrong", attemptsLeft },
  };
}
