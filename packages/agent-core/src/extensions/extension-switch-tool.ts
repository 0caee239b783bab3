import type { Tool } from "../tools/tool.js";
import type { ExtensionSwitches } from "./extension-switches.js";

/** The name by which `/extensions` knows it. */
export const extensionSwitchToolName = "switch_extension";

/** Switches an extension on or off for a client, which asks; the host's terminal needs no tool. */
export function createExtensionSwitchTool(
  switches: Pick<ExtensionSwitches, "enable" | "disable">,
): Tool {
  return {
    name: extensionSwitchToolName,
    description: "Switches an extension on or off from the next session on.",
    // Extensions are the person's to choose, by /extensions.
    isInternal: true,
    isReadOnly: false,
    parameters: {
      type: "object",
      properties: {
        name: { type: "string" },
        change: { type: "string", enum: ["enable", "disable"] },
      },
      required: ["name", "change"],
      additionalProperties: false,
    },

    async plan({ name, change }) {
      const verb = change === "enable" ? "Enable" : "Disable";
      const description = `${verb} the extension ${name} from the next session on`;
      return {
        description,
        actions: [
          // Later sessions obey what an extension brings.
          {
            type: "other",
            name: extensionSwitchToolName,
            target: String(name),
            isProtected: true,
          },
        ],
        details: { $case: "genericDetails", value: { description } },
      };
    },

    async run({ name, change }) {
      await switches[change === "enable" ? "enable" : "disable"](String(name));
      return { result: { $case: "text", value: `${name} is ${change}d` } };
    },
  };
}
