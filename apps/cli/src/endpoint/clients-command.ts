import type { PairedDevice, Pairing } from "@dt/server";
import type { HostCommand } from "../screen/state/host-command.js";

/** The paired devices, and the clients that are connected now. */
export interface ClientsSource {
  readonly pairing: Pick<Pairing, "listDevices" | "revoke">;
  countClients(): number;
}

/** Creates `/clients` and `/clients revoke NAME`. */
export function createClientsCommand({ pairing, countClients }: ClientsSource): HostCommand {
  async function revoke(name: string): Promise<string> {
    if (await pairing.revoke(name)) return `${name} is revoked; its streams end within two seconds`;
    throw new Error(`there is no device ${name}; /clients lists the devices`);
  }

  return {
    command: {
      name: "clients",
      description: "list paired devices",
      arguments: [],
      subCommands: [
        {
          name: "revoke",
          description: "end the token of a device",
          arguments: [
            { name: "name", description: "the device, as /clients lists it", isRequired: true },
          ],
          subCommands: [],
        },
      ],
    },
    accepts: () => true,
    async run(args) {
      const [word = "", name = "", ...rest] = args.trim().split(/\s+/);
      if (word === "")
        return { text: describeClients(await pairing.listDevices(), countClients()) };
      if (word === "revoke" && name !== "" && rest.length === 0)
        return { text: await revoke(name) };
      throw new Error("/clients: expected no argument, or revoke NAME");
    },
  };
}

/** Describes the devices as lines of text. Pure. */
export function describeClients(devices: readonly PairedDevice[], connected: number): string {
  const count = `${connected === 1 ? "1 client is" : `${connected} clients are`} connected`;
  if (devices.length === 0) return `${count}; no device is paired; type /share to pair one`;
  return [count, ...devices.map(describeDevice)].join("\n");
}

function describeDevice({ name, role, pairedAt, lastUsedAt, expiresAt }: PairedDevice): string {
  return [
    `${name}: ${role}`,
    `paired ${minuteOf(pairedAt)}`,
    `last used ${minuteOf(lastUsedAt)}`,
    ...(expiresAt === undefined ? [] : [`ends ${minuteOf(expiresAt)}`]),
  ].join(", ");
}

function minuteOf(time: string | undefined): string {
  return time === undefined ? "never" : `${time.slice(0, 16).replace("T", " ")}Z`;
}
