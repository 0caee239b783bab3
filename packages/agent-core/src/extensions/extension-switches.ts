import { createPrivateJsonFile } from "../settings/private-json-file.js";

/** Which extensions the person has switched off. */
export interface ExtensionSwitches {
  /** The names of those that are off. */
  disabled(): Promise<readonly string[]>;
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
}

interface Switches {
  readonly disabled: readonly string[];
}

const schema = {
  type: "object",
  properties: { disabled: { type: "array", items: { type: "string" } } },
  required: ["disabled"],
  additionalProperties: false,
} as const;

/** Switches that are kept in a file, `~/.config/dt/extensions.json` by custom. */
export function createExtensionSwitches({ file }: { readonly file: string }): ExtensionSwitches {
  const kept = createPrivateJsonFile<Switches>({ file, schema, empty: { disabled: [] } });
  return {
    disabled: async () => (await kept.read()).disabled,
    enable: (name) =>
      kept.update(({ disabled }) => ({ disabled: disabled.filter((other) => other !== name) })),
    disable: (name) =>
      kept.update(({ disabled }) => ({ disabled: [...new Set([...disabled, name])] })),
  };
}
