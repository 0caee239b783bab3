import { expect, onTestFinished, test, vi } from "vitest";
import { BucketFault } from "./object-bucket.js";
import { retryRequest, statusOf } from "./retry.js";

const LIMITS = { maxTries: 3, baseMs: 1, maxPauseMs: 1, timeoutMs: 600_000 };
const withStatus = (code: unknown, message = "no") => Object.assign(new Error(message), { code });

/** Runs a request whose attempts fail with the given errors, one after the other. */
async function attempt(errors: readonly unknown[], limits = LIMITS) {
  let tries = 0;
  const work = async () => {
    const error = errors[tries];
    tries += 1;
    if (error !== undefined) throw error;
    return "done";
  };
  const outcome = await retryRequest("bucket/folder", work, limits).catch(
    (fault: unknown) => fault,
  );
  return { outcome, tries };
}

test.each([408, 429, 500, 502, 503, 504, undefined])(
  "a request that fails with the status %s is repeated until it succeeds",
  async (status) => {
    const error = status === undefined ? withStatus("ECONNRESET") : withStatus(status);

    expect(await attempt([error, error])).toEqual({ outcome: "done", tries: 3 });
  },
);

test.each([400, 401, 403, 404, 412, 501])(
  "a request that fails with the status %i is not repeated",
  async (status) => {
    const { outcome, tries } = await attempt([withStatus(status, "refused")]);

    expect(tries).toBe(1);
    expect(outcome).toBeInstanceOf(BucketFault);
    expect(outcome).toMatchObject({
      message: `the bucket bucket/folder answered ${status} (refused)`,
      status,
    });
  },
);

test("the number of attempts is limited, and the fault has the last error as its cause", async () => {
  const last = withStatus("ECONNRESET", "socket hang up\nat line 2");
  const { outcome, tries } = await attempt([withStatus(503), withStatus(503), last]);

  expect(tries).toBe(3);
  expect(outcome).toMatchObject({
    message: "the bucket bucket/folder cannot be reached (socket hang up)",
    status: undefined,
    cause: last,
  });
});

test.each([
  [[429], false],
  [[404], false],
  [[500], true],
  [[503], true],
  [[408], true],
  [["ECONNRESET"], true],
  [["ECONNRESET", 429], true],
  [[429, 503], true],
])(
  "after attempts that failed with %j, it is uncertain whether one succeeded: %s",
  async (codes, isUncertain) => {
    const limits = { ...LIMITS, maxTries: codes.length };

    const { outcome } = await attempt(
      codes.map((code) => withStatus(code)),
      limits,
    );

    expect(outcome).toMatchObject({ isUncertain });
  },
);

test("a fault shows at most 200 characters of the reason, and reasons that are no errors", async () => {
  const { outcome: long } = await attempt([withStatus(400, "x".repeat(300))]);
  const { outcome: text } = await attempt(["broken", "broken", "broken"]);

  expect((long as Error).message).toBe(
    `the bucket bucket/folder answered 400 (${"x".repeat(200)})`,
  );
  expect((text as Error).message).toBe("the bucket bucket/folder cannot be reached (broken)");
});

test("an attempt without an answer ends after its time, and leaves no timer behind", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const limits = { ...LIMITS, maxTries: 1, timeoutMs: 30_000 };
  const silent = retryRequest("b", () => new Promise<never>(() => {}), limits);
  const outcome = expect(silent).rejects.toMatchObject({
    message: "the bucket b cannot be reached (no answer within 30 seconds)",
    isUncertain: true,
  });

  await vi.advanceTimersByTimeAsync(29_999);
  const waiting = vi.getTimerCount();
  await vi.advanceTimersByTimeAsync(1);
  await outcome;
  await retryRequest("b", async () => "done", limits);

  expect([waiting, vi.getTimerCount()]).toEqual([1, 0]);
});

test.each([
  [{ code: 404 }, 404],
  [{ code: "412" }, 412],
  [{ code: "ECONNRESET", status: 503 }, 503],
  [{ code: "ECONNRESET" }, undefined],
  [{ code: "1234" }, undefined],
  [{ status: "503" }, 503],
  [{ code: 100 }, 100],
  [{ code: 99 }, undefined],
  [{ code: 404.5 }, undefined],
  [undefined, undefined],
  [null, undefined],
])("the status of the error %j is %s", (error, status) => {
  expect(statusOf(error)).toBe(status);
});
