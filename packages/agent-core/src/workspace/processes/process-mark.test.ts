import { hostname } from "node:os";
import { expect, test } from "vitest";
import { createProcessMark, isMarkerFile, isMarkName, locateMark } from "./process-mark.js";

const here = { host: "a", boot: "b1", namespace: "pid:[1]" };
const mac = { host: "m" };

test.each([
  ["the same boot and namespace", "here", here, here],
  ["the same host before a reboot", "gone", here, { ...here, boot: "b2" }],
  ["another host", "elsewhere", here, { ...here, host: "b", boot: "b2" }],
  ["another container of the same kernel", "elsewhere", here, { ...here, namespace: "pid:[2]" }],
  ["the same boot of a renamed host", "here", here, { ...here, host: "b" }],
  ["a system that does not show marks", "hidden", mac, mac],
  ["another host that does not show marks", "elsewhere", mac, here],
] as const)("locateMark for a mark from %s returns %s", (_name, expected, location, now) => {
  expect(locateMark({ name: "DT_PROCESS_1", ...location }, now)).toBe(expected);
});

test("every mark has a unique name and contains the host", () => {
  const [first, second] = [createProcessMark(), createProcessMark()];

  expect(first.name).not.toBe(second.name);
  expect(first).toEqual({ ...second, name: first.name });
  expect(first.host).toBe(hostname());
  expect(isMarkName(first.name)).toBe(true);
});

test("isMarkName accepts only whole mark names; isMarkerFile also accepts a name with a suffix", () => {
  const { name } = createProcessMark();

  expect(["", "DT_PROCESS_", `${name}a`, name.slice(0, -1)].filter(isMarkName)).toEqual([]);
  expect(isMarkerFile(`${name}_0123abcd`)).toBe(true);
  expect(isMarkerFile("DT_PROCESS_notes.txt")).toBe(false);
});
