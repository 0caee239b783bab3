import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { abandonAfterAbort } from "./abandon-after-abort.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("abandonAfterAbort returns the result of work and leaves no listener or timer behind", async () => {
  const { signal } = new AbortController();

  expect(await abandonAfterAbort(Promise.resolve("done"), signal)).toBe("done");
  await expect(abandonAfterAbort(Promise.reject(new Error("broke")), signal)).rejects.toThrow(
    "broke",
  );

  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test.each(["before", "after"])(
  "work that does not stop is abandoned 10 s after an abort that came %s its start",
  async (when) => {
    const abort = new AbortController();
    if (when === "before") abort.abort();
    const outcome = abandonAfterAbort(new Promise(() => {}), abort.signal).catch(String);
    vi.advanceTimersByTime(60_000 * (when === "after" ? 1 : 0));
    abort.abort();
    const abandoned = vi.fn();
    outcome.then(abandoned);

    await vi.advanceTimersByTimeAsync(9_999);
    expect(abandoned).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(await outcome).toBe(
      "Error: the tool, model or agent did not stop after the turn was aborted",
    );
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  },
);

test("abandonAfterAbort returns the result of work that stops in time after an abort", async () => {
  const abort = new AbortController();
  let stop = (_text: string) => {};
  const work = new Promise<string>((resolve) => {
    stop = resolve;
  });
  const outcome = abandonAfterAbort(work, abort.signal);

  abort.abort();
  expect(vi.getTimerCount()).toBe(1);
  stop("stopped");

  expect(await outcome).toBe("stopped");
  expect(vi.getTimerCount()).toBe(0);
});
