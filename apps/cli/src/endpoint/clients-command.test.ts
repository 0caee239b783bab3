import { expect, test } from "vitest";
import { createClientsCommand } from "./clients-command.js";

const phone = {
  name: "phone",
  role: "approve",
  pairedAt: "2026-01-01T10:20:30.000Z",
  expiresAt: "2026-01-31T10:20:30.000Z",
} as const;

function openCommand() {
  const revoked: string[] = [];
  return {
    revoked,
    ...createClientsCommand({
      countClients: () => 1,
      pairing: {
        listDevices: async () => [phone, { ...phone, name: "tv", lastUsedAt: phone.pairedAt }],
        async revoke(name) {
          revoked.push(name);
          return name === "phone";
        },
      },
    }),
  };
}

test("/clients lists the devices with their roles and times", async () => {
  const { text } = await openCommand().run("");

  expect(text.split("\n")).toEqual([
    "1 client is connected",
    "phone: approve, paired 2026-01-01 10:20Z, last used never, ends 2026-01-31 10:20Z",
    "tv: approve, paired 2026-01-01 10:20Z, last used 2026-01-01 10:20Z, ends 2026-01-31 10:20Z",
  ]);
});

test("/clients says how to pair a device if there is none", async () => {
  const pairing = { listDevices: async () => [], revoke: async () => false };
  const command = createClientsCommand({ pairing, countClients: () => 0 });

  expect(await command.run(" ")).toEqual({
    text: "0 clients are connected; no device is paired; type /share to pair one",
  });
});

test("/clients revoke ends the token of a device", async () => {
  const command = openCommand();

  expect(await command.run("revoke phone")).toMatchObject({
    text: expect.stringContaining("phone is revoked"),
  });
  expect(command.revoked).toEqual(["phone"]);
});

test.each([
  ["revoke nobody", "there is no device nobody"],
  ["revoke", "expected no argument, or revoke NAME"],
  ["revoke a b", "expected no argument, or revoke NAME"],
  ["end phone", "expected no argument, or revoke NAME"],
])("/clients %s is refused", async (args, message) => {
  await expect(openCommand().run(args)).rejects.toThrow(message);
});
