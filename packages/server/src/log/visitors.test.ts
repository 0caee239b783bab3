import { expect, test } from "vitest";
import { createVisitors } from "./visitors.js";

const ide = { user: "local", name: "IDE" };
const nameless = { user: "local", name: "local" };

test("whoever follows or has asked lately is one client, by name; the nameless count while they follow", () => {
  let now = 0;
  const visitors = createVisitors(() => now);

  expect(visitors.count([])).toBe(0);
  visitors.see(ide);
  visitors.see(nameless);
  expect(visitors.count([])).toBe(1);
  expect(visitors.count([ide, ide])).toBe(1);
  expect(visitors.count([ide, nameless, nameless, undefined])).toBe(4);
  now = 5_999;
  expect(visitors.count([])).toBe(1);
  now = 6_000;
  expect(visitors.count([])).toBe(0);
  expect(visitors.count([ide])).toBe(1);
});
