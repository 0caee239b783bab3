import type { Extension } from "../extensions/extension.js";

/** The reply to `list-extensions`. (server reference; SRV-12) */
export interface ExtensionList {
  readonly extensions: readonly {
    readonly name: string;
    readonly version: string;
    readonly enabled: boolean;
  }[];
}

/** Builds the reply to `list-extensions`. */
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
