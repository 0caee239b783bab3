import type { Tool } from "../tools/tool.js";
import type { ExtensionSwitches } from "./extension-switches.js";

/** Name of the tool that `/extensions` calls. */
export const EXTENSION_SWITCH_TOOL_NAME = "switch_extension";

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: EXTENSION_SWITCH_TOOL_NAME,
  description: "Switches an extension on or off from the next session on.",
  // Hidden from the model, because only a person may switch extensions, with /extensions.
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
} satisfies Partial<Tool>;

/**
 * Creates the tool that switches an extension on or off, after a question. `/extensions` calls it if a client
 * sent the command. At the host's terminal, `/extensions` switches extensions without a question.
 */
export function createExtensionSwitchTool(
  switches: Pick<ExtensionSwitches, "enable" | "disable">,
): Tool {
  return {
    ...DECLARATION,

    async plan({ name, change }) {
      const verb = change === "enable" ? "Enable" : "Disable";
      const description = `${verb} the extension ${name} from the next session on`;
      return {
        description,
        actions: [
          // The action is protected, because an extension changes what later sessions do.
          {
            type: "other",
            name: EXTENSION_SWITCH_TOOL_NAME,
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
