import { expect, test } from "vitest";
import { createAddressSlots, toNetwork } from "./address-slots.js";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:0db8::7", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
  ["1::2:3:4:5:192.0.2.1", "1:0:2:3::/64"],
  ["::2:3:4:5:6:7:8", "0:2:3:4::/64"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4::/64"],
  ["1:2::192.0.2.1", "1:2:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["", ""],
])("the network of %j is %j", (address, network) => {
  expect(toNetwork(address)).toBe(network);
});

test("a flood of addresses gets a bounded number of slots, and an address always gets the same slot [SRV-19]", () => {
  const slotOf = createAddressSlots();
  const addresses = Array.from({ length: 20_000 }, (_, index) => `host ${index}`);

  const slots = new Set(addresses.map(slotOf));

  expect(slots.size).toBeLessThanOrEqual(16_384);
  expect(slotOf("192.0.2.7")).toBe(slotOf("::ffff:192.0.2.7"));
});
