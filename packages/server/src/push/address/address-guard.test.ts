import type { LookupAddress } from "node:dns";
import { parseAllowList } from "@dt/schema/address";
import { expect, test } from "vitest";
import { AddressRefused, createAddressGuard } from "./address-guard.js";

function openGuard(allowed: readonly string[] = [], ...answers: readonly string[][]) {
  const asked: string[] = [];
  const guard = createAddressGuard({
    allowList: parseAllowList(allowed),
    async resolveName(host) {
      asked.push(host);
      const addresses = answers[Math.min(asked.length, answers.length) - 1] ?? [];
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  const lookup = (host: string, all = true) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      guard.lookup(host, { all }, (error, address) => (error ? reject(error) : resolve(address)));
    });
  return { guard, asked, lookup };
}

test.each([
  "http://127.0.0.1/",
  "http://127.0.0.1:8080/x",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/",
  "http://[fd00:ec2::254]/",
  "http://10.0.0.1/",
  "https://192.168.1.1/",
  "http://172.16.0.1/",
  "http://100.64.0.1/",
  "http://[fe80::1]/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://localhost/",
  "http://LOCALHOST./",
  "http://a.localhost/",
  "http://\u2460\u2461\u2466.0.0.1/",
])("the URL %s is refused", (text) => {
  const { guard } = openGuard();

  expect(() => guard.check(new URL(text))).toThrow(AddressRefused);
});

test.each(["http://8.8.8.8/", "https://[2606:4700::1111]/", "http://example.com/"])(
  "the URL %s is accepted",
  (text) => {
    const { guard } = openGuard();

    expect(() => guard.check(new URL(text))).not.toThrow();
  },
);

test("a private host is accepted if its address, range or name is in the allow list", () => {
  const { guard } = openGuard(["127.0.0.1", "10.0.0.0/8", "localhost"]);

  for (const text of ["http://127.0.0.1:1/", "http://10.9.8.7/", "http://localhost/"]) {
    expect(() => guard.check(new URL(text))).not.toThrow();
  }
  expect(() => guard.check(new URL("http://127.0.0.2/"))).toThrow(AddressRefused);
});

test("a lookup returns all addresses of a name, or one address if the caller wants only one", async () => {
  const { lookup } = openGuard([], ["8.8.8.8", "2606:4700::1111"]);

  expect(await lookup("example.com")).toEqual([
    { address: "8.8.8.8", family: 4 },
    { address: "2606:4700::1111", family: 6 },
  ]);
  expect(await lookup("example.com", false)).toBe("8.8.8.8");
});

test.each([
  ["127.0.0.1"],
  ["10.0.0.1"],
  ["169.254.169.254"],
  ["::1"],
  ["::ffff:10.0.0.1"],
  ["fd00:ec2::254"],
  ["0.0.0.0"],
])(
  "a name with the address %s is refused, and the error does not show the address",
  async (address) => {
    const { lookup } = openGuard([], [address]);

    const refused = await lookup("inner.example").catch((reason: unknown) => reason);

    expect(refused).toBeInstanceOf(AddressRefused);
    expect(refused).toMatchObject({ addresses: [address] });
    expect((refused as Error).message).not.toContain(address);
  },
);

test("a name is refused if one of its addresses is not allowed", async () => {
  const { lookup } = openGuard([], ["8.8.8.8", "127.0.0.1"]);

  await expect(lookup("mixed.example")).rejects.toBeInstanceOf(AddressRefused);
});

test("a name without an address is refused", async () => {
  const { lookup } = openGuard([], []);

  await expect(lookup("empty.example")).rejects.toBeInstanceOf(AddressRefused);
});

test("a name is resolved and checked again for every connection", async () => {
  const { lookup, asked } = openGuard([], ["8.8.8.8"], ["127.0.0.1"]);

  await lookup("rebind.example");

  await expect(lookup("rebind.example")).rejects.toBeInstanceOf(AddressRefused);
  expect(asked).toHaveLength(2);
});

test("a name with a private address is accepted if the name is in the allow list", async () => {
  const { lookup } = openGuard(["hooks.internal"], ["10.0.0.1"]);

  expect(await lookup("hooks.internal", false)).toBe("10.0.0.1");
  expect(await lookup("hooks.internal.", false)).toBe("10.0.0.1");
  await expect(lookup("other.internal")).rejects.toBeInstanceOf(AddressRefused);
});

test("the lookup of an unknown name fails with the error of the resolver", async () => {
  const guard = createAddressGuard({
    allowList: parseAllowList([]),
    resolveName: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
  });

  const error = await new Promise((resolve) => guard.lookup("x.example", {}, resolve));

  expect(error).toMatchObject({ code: "ENOTFOUND" });
});
