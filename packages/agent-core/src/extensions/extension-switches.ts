import { createPrivateJsonFile } from "../settings/private-json-file.js";

/** Stores which extensions the person has disabled. */
export interface ExtensionSwitches {
  /** Returns the names of the disabled extensions. */
  disabled(): Promise<readonly string[]>;
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
}

interface Switches {
  readonly disabled: readonly string[];
}

const SCHEMA = {
  type: "object",
  properties: { disabled: { type: "array", items: { type: "string" } } },
  required: ["disabled"],
  additionalProperties: false,
} as const;

/** Creates the switches. They are stored in `file`, by convention `~/.config/dt/extensions.json`. */
export function createExtensionSwitches({ file }: { readonly file: string }): ExtensionSwitches {
  const stored = createPrivateJsonFile<Switches>({ file, schema: SCHEMA, empty: { disabled: [] } });
  return {
    disabled: async () => (await stored.read()).disabled,
    enable: (name) =>
      stored.update(({ disabled }) => ({ disabled: disabled.filter((other) => other !== name) })),
    disable: (name) =>
      stored.update(({ disabled }) => ({ disabled: [...new Set([...disabled, name])] })),
  };
}
