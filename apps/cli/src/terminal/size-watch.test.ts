import { afterEach, expect, test, vi } from "vitest";
import { createSizeWatch } from "./size-watch.js";

afterEach(() => vi.useRealTimers());

test.each([
  [1, 100],
  [5, 300],
  [40, 1000],
])("a series of %i quick resizes is reported %i ms after the first resize", (changes, ms) => {
  vi.useFakeTimers();
  const began = performance.now();
  let quietAfter: number | undefined;
  const onQuiet = () => {
    quietAfter ??= performance.now() - began;
  };
  const watch = createSizeWatch(process.stdout, {
    isTmux: false,
    now: () => performance.now(),
    onQuiet,
  });

  for (let count = 0; count < changes; count += 1) {
    watch.recordResize();
    vi.advanceTimersByTime(50);
  }
  vi.advanceTimersByTime(1000);

  expect(quietAfter).toBe(ms);
});
