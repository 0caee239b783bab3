import { DEFAULT_EXTENSION_URIS, type ExtensionUris } from "./extension-uri.js";

/** One entry of `capabilities.extensions` in an agent card. */
export interface CardEntry {
  readonly uri: string;
  readonly description: string;
  readonly required: boolean;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Options of {@link buildCardEntries}. */
export interface CardEntriesOptions {
  readonly uris?: ExtensionUris;
  /** True if a client must activate the development-tool extension. Default: false. */
  readonly isRequired?: boolean;
}

/** Builds the entries of an agent card for two extensions: first development-tool, then our session extension. (RFC 3.1) */
export function buildCardEntries(options: CardEntriesOptions = {}): readonly CardEntry[] {
  const { uris = DEFAULT_EXTENSION_URIS, isRequired = false } = options;
  return [
    {
      uri: uris.developmentTool,
      description:
        "An extension for interactive development tasks, enabling features like code generation, tool usage, and real-time status updates.",
      required: isRequired,
    },
    {
      uri: uris.session,
      description:
        "Cursors for resuming a stream exactly, the senders of prompts and answers, and event kinds that the development-tool extension does not have.",
      required: false,
      params: {
        extends: uris.developmentTool,
        cursor:
          "opaque; it is the SSE id, it is in the metadata of every event, and Last-Event-ID sends it back",
        sharing: "session/share, session/unshare, session/access, session/join, session/shared",
        kinds: [
          "USER_PROMPT",
          "CITATION",
          "CONSOLE_LOG",
          "THOUGHT_SUMMARY",
          "AGENT_SETTINGS",
          "QUEUE",
          "TODOS",
          "USAGE",
          "MODE",
          "TITLE",
          "WARNING",
          "BACKGROUND_PROCESS",
          "REWOUND",
          "ACCESS",
        ],
      },
    },
  ];
}
