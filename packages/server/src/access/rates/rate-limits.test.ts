import { expect, onTestFinished, test, vi } from "vitest";
import { createRateLimits } from "./rate-limits.js";

function openRates() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const refused: string[] = [];
  const rates = createRateLimits({
    limits: { maxRequestsPerMinute: 2, maxPromptsPerMinute: 1, maxFailedSignInsPerMinute: 1 },
    metrics: { rateLimited: (limit) => void refused.push(limit) },
  });
  return { rates, refused };
}

test("a request beyond the limit is refused until the minute has passed [SRV-19]", async () => {
  const { rates, refused } = openRates();
  await rates.countRequest("ada");
  await rates.countRequest("ada");
  vi.advanceTimersByTime(48_000);

  await expect(rates.countRequest("ada")).rejects.toMatchObject({
    code: "rate-limited",
    message: "you have reached 2 requests per minute; try again in 12 s",
    data: { retryAfterMs: 12_000 },
  });
  await rates.countRequest("bob");
  vi.advanceTimersByTime(12_000);
  await rates.countRequest("ada");
  expect(refused).toEqual(["requests"]);
});

test("prompts are counted apart from requests [SRV-19]", async () => {
  const { rates, refused } = openRates();
  await rates.countPrompt("ada");

  await expect(rates.countPrompt("ada")).rejects.toThrow("1 prompts per minute");
  await rates.countRequest("ada");
  expect(refused).toEqual(["prompts"]);
});

test("an address with too many failed sign-ins is refused, and others are not [SRV-19]", async () => {
  const { rates, refused } = openRates();
  await rates.checkSignIn("192.0.2.7");
  await rates.countFailedSignIn("192.0.2.7");
  await rates.checkSignIn("192.0.2.7");

  await expect(rates.countFailedSignIn("192.0.2.7")).rejects.toMatchObject({
    code: "rate-limited",
  });
  await expect(rates.checkSignIn("192.0.2.7")).rejects.toThrow("tokens that are not valid");
  await rates.checkSignIn("192.0.2.8");
  await rates.countAnonymous("192.0.2.7");
  expect(refused).toEqual(["sign_ins", "sign_ins"]);
});
