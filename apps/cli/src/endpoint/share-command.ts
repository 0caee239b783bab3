import { ROLES, type Role } from "@dt/schema";
import type { HostCommand } from "../screen/state/host-command.js";
import { DEVICE_ROLE } from "./device-role.js";
import type { EndpointSharing } from "./endpoint-sharing.js";

/** Creates `/share [ROLE]`. */
export function createShareCommand(sharing: Pick<EndpointSharing, "share">): HostCommand {
  return {
    command: {
      name: "share",
      description: "pair a phone or another device with this session",
      arguments: [
        {
          name: "role",
          description: `${ROLES.join(", ")}; default: ${DEVICE_ROLE}`,
          isRequired: false,
        },
      ],
      subCommands: [],
    },
    accepts: (args) => args.trim() === "" || findRole(args) !== undefined,
    async run(args) {
      const role = args.trim() === "" ? DEVICE_ROLE : findRole(args);
      if (role !== undefined) return await sharing.share(role);
      throw new Error(`/share: expected one of ${ROLES.join(", ")}, not ${args.trim()}`);
    },
  };
}

function findRole(args: string): Role | undefined {
  return ROLES.find((role) => role === args.trim());
}
