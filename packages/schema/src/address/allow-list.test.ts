import { expect, test } from "vitest";
import { parseAllowList } from "./allow-list.js";

test.each([
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.1.2.3", false],
  ["10.1.2.3", "10.1.2.3", true],
  ["10.1.2.3", "10.1.2.4", false],
  ["10.1.2.3/32", "10.1.2.3", true],
  ["0.0.0.0/0", "192.168.0.1", true],
  ["fd00::/8", "fd12::1", true],
  ["fd00::/8", "fe80::1", false],
  ["::1", "::1", true],
  ["::1", "::2", false],
  ["::/0", "fe80::1", true],
  ["::/0", "10.1.2.3", false],
  ["0.0.0.0/0", "fe80::1", false],
  ["fd00::/128", "fd00::", true],
  ["fd00::/128", "fd00::1", false],
  ["::ffff:10.1.2.3", "::ffff:10.1.2.3", true],
  ["::ffff:10.1.2.3", "10.1.2.3", false],
  ["10.0.0.0/8", "64:ff9b::a01:203", true],
  ["10.0.0.0/8", "2002:a01:203::", true],
  ["0.0.0.0/0", "no address", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["10.0.0.0/8", "::ffff:11.1.2.3", false],
])("with the entry %s in the list, hasAddress(%s) returns %s", (entry, address, expected) => {
  expect(parseAllowList([entry]).hasAddress(address)).toBe(expected);
});

test("hosts are allowed by their whole name, in upper or lower case", () => {
  const list = parseAllowList(["hooks.Internal", "localhost"]);

  expect(list.hasHost("Hooks.internal")).toBe(true);
  expect(list.hasHost("localhost")).toBe(true);
  expect(list.hasHost("a.hooks.internal")).toBe(false);
  expect(list.hasHost("internal")).toBe(false);
});

test("a list may contain hosts, addresses and ranges together", () => {
  const list = parseAllowList([
    "10.0.0.0/8",
    "hooks.internal",
    "a",
    "1a",
    "192.168.0.1",
    "b-c.d_e",
  ]);

  expect(["10.9.9.9", "192.168.0.1", "192.168.0.2"].map(list.hasAddress)).toEqual([
    true,
    true,
    false,
  ]);
  expect(["hooks.internal", "a", "1a", "b-c.d_e", "10.0.0.0"].map(list.hasHost)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

test("an empty list allows nothing", () => {
  const list = parseAllowList([]);

  expect(list.hasAddress("10.0.0.1")).toBe(false);
  expect(list.hasHost("localhost")).toBe(false);
});

test.each([
  "10.0.0.0/33",
  "10.0.0.0/x",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0/8",
  "fd00::/129",
  "10.0.0.0/8/8",
  "hooks.internal/8",
  "http://hooks.internal",
  "hooks.internal:80",
  "a..b",
  "*.internal",
  "1.2.3",
  "10.0.0.0/0008",
  "10.0.0.0/ 8",
  "-a",
  "a-",
  ".",
  "fe80::1%eth0",
  "",
])("parseAllowList throws for the entry %j, and the error quotes the entry", (entry) => {
  expect(() => parseAllowList([entry])).toThrow(
    `expected a host, an address or a range such as 10.0.0.0/8, got ${entry}`,
  );
});
