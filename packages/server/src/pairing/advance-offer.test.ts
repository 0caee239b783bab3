import { expect, test } from "vitest";
import { advanceOffer, MAX_ATTEMPTS, type PairingOffer } from "./advance-offer.js";
import { createPairingCode, digestCode } from "./pairing-code.js";

const CODE = "4KZ7Q-9M2XB";
const offer: PairingOffer = {
  digest: digestCode(CODE),
  role: "approve",
  expiresAt: 1_000,
  attemptsLeft: MAX_ATTEMPTS,
};

test.each([CODE, "4kz7q9m2xb", " 4KZ7Q 9M2XB ", "4KZ7Q-9M2XB"])(
  "the code is accepted once, typed as %j",
  (typed) => {
    const { offer: next, verdict } = advanceOffer(offer, typed, 999);

    expect({ next, verdict }).toEqual({
      next: undefined,
      verdict: { type: "accepted", role: "approve" },
    });
  },
);

test("letters that look like digits count as the digits", () => {
  const withDigits = { ...offer, digest: digestCode("01011-ABCDE") };

  expect(advanceOffer(withDigits, "oiolI-abcde", 0).verdict.type).toBe("accepted");
});

test("an offer ends after its last wrong code", () => {
  let step = advanceOffer(offer, "wrong", 0);
  const verdicts = [step.verdict];
  while (step.offer !== undefined) {
    step = advanceOffer(step.offer, "wrong", 0);
    verdicts.push(step.verdict);
  }

  expect(verdicts).toEqual(
    [4, 3, 2, 1, 0].map((attemptsLeft) => ({ type: "wrong", attemptsLeft })),
  );
  expect(advanceOffer(step.offer, CODE, 0).verdict).toEqual({ type: "closed" });
});

test("an offer is closed when it has expired", () => {
  expect(advanceOffer(offer, CODE, 1_000)).toEqual({
    offer: undefined,
    verdict: { type: "closed" },
  });
});

test("codes are random, and have none of the letters I, L, O and U", () => {
  const codes = Array.from({ length: 200 }, createPairingCode);

  expect(new Set(codes).size).toBe(200);
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
});
