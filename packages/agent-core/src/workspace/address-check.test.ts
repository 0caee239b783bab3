import { expect, test } from "vitest";
import { isPublicAddress } from "./address-check.js";

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.1",
  "100.63.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
])("%s is public", (address) => {
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
  ["mapped", "::ffff:127.0.0.1"],
  ["mapped", "::ffff:7f00:1"],
  ["mapped", "::ffff:10.0.0.1"],
  ["compatible", "::127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64 of a local network", "64:ff9b:1::7f00:1"],
  ["6to4", "2002:7f00:1::"],
  ["Teredo", "2001:0:1::1"],
  ["not assigned", "4000::1"],
  ["no address", "example.com"],
  ["no address", ""],
])("%s: %s is refused", (_name, address) => {
  expect(isPublicAddress(address)).toBe(false);
});
