import type { Extension } from "../extensions/extension.js";

/** What `list-extensions` answers. (REF; SRV-12) */
export interface ExtensionList {
  readonly extensions: readonly {
    readonly name: string;
    readonly version: string;
    readonly enabled: boolean;
  }[];
}

/** The extensions as `list-extensions` answers them. */
export function listExtensions(
  extensions: readonly Pick<Extension, "name" | "version" | "isEnabled">[],
): ExtensionList {
  return {
    extensions: extensions.map(({ name, version, isEnabled }) => ({
      name,
      version,
      enabled: isEnabled,
    })),
  };
}
