import { isIP } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { parseAddress } from "./parse-address.js";
import {
  hostOf,
  isAddress,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
} from "./public-address.js";

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.1",
  "100.63.255.255",
  "168.63.129.15",
  "168.63.129.17",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
])("isPublicAddress returns true for %s", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["this machine", "127.0.0.1"],
  ["this machine", "127.255.0.3"],
  ["this machine", "0.0.0.0"],
  ["this machine", "::1"],
  ["this machine", "::"],
  ["private", "10.0.0.1"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.1.1"],
  ["private", "fc00::1"],
  ["private", "fd12:3456::1"],
  ["site-local", "fec0::1"],
  ["link-local", "169.254.0.1"],
  ["cloud metadata", "169.254.169.254"],
  ["cloud metadata", "fd00:ec2::254"],
  ["cloud metadata", "100.100.100.200"],
  ["cloud metadata", "168.63.129.16"],
  ["cloud metadata, mapped", "::ffff:168.63.129.16"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["carrier NAT", "100.64.0.1"],
  ["multicast", "224.0.0.1"],
  ["multicast", "ff02::1"],
  ["broadcast", "255.255.255.255"],
  ["reserved", "240.0.0.1"],
  ["documentation", "192.0.2.1"],
  ["benchmarks", "198.18.0.1"],
  ["documentation", "2001:db8::1"],
  ["AS112", "2620:4f:8000::1"],
  ["AMT", "192.52.193.1"],
  ["mapped", "::ffff:127.0.0.1"],
  ["mapped", "::ffff:7f00:1"],
  ["mapped", "::ffff:10.0.0.1"],
  ["compatible", "::127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64 of a local network", "64:ff9b:1::7f00:1"],
  ["6to4", "2002:7f00:1::"],
  ["Teredo", "2001:0:1::1"],
  ["ORCHID", "2001:20::1"],
  ["documentation", "3fff::1"],
  ["documentation", "203.0.113.9"],
  ["not assigned", "4000::1"],
  ["translated", "::ffff:0:127.0.0.1"],
  ["octal", "0177.0.0.1"],
  ["decimal", "2130706433"],
  ["hexadecimal", "0x7f.0.0.1"],
  ["short", "127.1"],
  ["no address", "example.com"],
  ["no address", ""],
])('in the case "%s", isPublicAddress(%j) returns false', (_name, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

// Each row has the first and the last address of a special range, and the public addresses next to
// it. The ranges are those of IANA's special-purpose registries, and one address of Azure.
test.each([
  ["0.0.0.0", "0.255.255.255", "", "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"],
  ["192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "255.255.255.255", "223.255.255.255", ""],
  ["2001::", "2001:1ff:ffff::", "2000:ffff::", "2001:200::"],
  ["2001:db8::", "2001:db8:ffff::", "2001:db7:ffff::", "2001:db9::"],
  ["2620:4f:8000::", "2620:4f:8000:ffff::", "2620:4f:7fff:ffff::", "2620:4f:8001::"],
  ["3fff::", "3fff:fff:ffff::", "3ffe:ffff::", "3fff:1000::"],
  ["1fff:ffff::", "1fff:ffff::", "", "2000::"],
  ["4000::", "4000::", "3fff:ffff::", ""],
  ["2002:a00::", "2002:aff:ffff::", "2002:9ff:ffff::", "2002:b00::"],
  ["64:ff9b::a00:0", "64:ff9b::aff:ffff", "64:ff9b::9ff:ffff", "64:ff9b::b00:0"],
  ["::ffff:10.0.0.0", "::ffff:10.255.255.255", "::ffff:9.255.255.255", "::ffff:11.0.0.0"],
  ["::10.0.0.0", "::10.255.255.255", "::9.255.255.255", "::11.0.0.0"],
])(
  "the addresses from %s to %s are not public, but their neighbours are",
  (first, last, before, after) => {
    const beside = [before, after].filter((address) => address !== "");

    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    expect(beside.map(isPublicAddress)).toEqual(beside.map(() => true));
  },
);

// These generators omit `::1.2.3.4` and short forms of IPv4, because ipaddr.js parses those forms
// differently from parseAddress.
const ipv4 = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
  .map((bytes) => bytes.join("."));
const group = fc.nat(0xffff).map((value) => value.toString(16));
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":"));
const short = fc
  .tuple(
    fc.array(group, { minLength: 1, maxLength: 4 }),
    fc.array(group, { maxLength: 3 }),
    fc.option(ipv4),
  )
  .map(
    ([head, tail, last]) => `${head.join(":")}::${[...tail, ...(last ? [last] : [])].join(":")}`,
  );

test("parseAddress returns the same bytes as ipaddr.js for standard forms", () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6, short), (text) => {
      const expected = ipaddr.isValid(text) ? ipaddr.parse(text).toByteArray() : undefined;

      expect(parseAddress(text)?.toByteArray()).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("an address without embedded IPv4 is not public if ipaddr.js does not call it unicast", () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6, short), (text) => {
      fc.pre(ipaddr.isValid(text));
      const parsed = ipaddr.parse(text);
      const embedsIpv4 = ["ipv4Mapped", "rfc6052", "6to4"].includes(parsed.range());
      if (parsed.range() === "unicast" || embedsIpv4) return;

      expect(isPublicAddress(text)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

const characters = fc.constantFrom(..."0123789abcfx:::...% ");
const damaged = fc
  .tuple(
    fc.oneof(ipv4, ipv6, short),
    fc.nat(),
    fc.nat(2),
    fc.string({ unit: characters, maxLength: 3 }),
  )
  .map(([text, at, cut, added]) => {
    const index = at % (text.length + 1);
    return text.slice(0, index) + added + text.slice(index + cut);
  });

test("a text is an address if Node accepts it and it has no zone", () => {
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string({ unit: characters, maxLength: 24 })), (text) => {
      expect(isAddress(text)).toBe(isIP(text) !== 0 && !text.includes("%"));
    }),
    { numRuns: 20_000 },
  );
});

test("parseAddress returns the same bytes for an IPv6 address and for its form in a URL", () => {
  fc.assert(
    fc.property(fc.oneof(ipv6, short), (text) => {
      fc.pre(isIP(text) === 6);
      const canonical = hostOf(new URL(`http://[${text}]/`));

      expect(parseAddress(text)?.toByteArray()).toEqual(parseAddress(canonical)?.toByteArray());
    }),
    { numRuns: 2_000 },
  );
});

test("an IPv4-compatible IPv6 address is not parsed as an IPv4-mapped one", () => {
  const bytes = parseAddress("::1.2.3.4")?.toByteArray();

  expect(bytes).toEqual([...Array<number>(12).fill(0), 1, 2, 3, 4]);
});

test.each([
  "::ffff:1.2.3",
  "1.2.3.4::",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7",
  "1::2::3",
  "12345::",
  ":::",
  "1:2:3:4:5:6:7:8::",
  "256.1.1.1",
  "1.2.3.4.5",
  "fe80::1%eth0",
  " 1.2.3.4",
  "::ffff:0177.0.0.1",
  "::ffff:0x7f.0.0.1",
  "::ffff:127.1",
  "::ffff:127.0.0.1%1",
  "::127.0.0.01",
])("%j is not an address", (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

test.each([
  ["127.0.0.1", true],
  ["127.255.255.255", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["64:ff9b::7f00:1", true],
  ["2002:7f00:1::", true],
  ["::2", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
  ["::1%lo", false],
  ["localhost", false],
])("isLoopbackAddress(%j) is %s", (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});

test("isLocalName returns true for localhost and for names that end with .localhost", () => {
  const names = ["localhost", "LOCALHOST.", "a.localhost", "localhost.example", "mylocalhost"];

  expect(names.map(isLocalName)).toEqual([true, true, true, false, false]);
});

test.each([
  ["http://[::1]:80/", "::1"],
  ["http://hooks.example./", "hooks.example"],
  ["http://0x7f.1/", "127.0.0.1"],
])("the host of %s is %s", (url, host) => {
  expect(hostOf(new URL(url))).toBe(host);
});
