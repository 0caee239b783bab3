import type { EditorFiles, FacePort, McpServer } from "@dt/schema";

/** Opens the sessions that an editor uses. An app implements it on its store, or on another agent. */
export interface EditorHost {
  readonly name: string;
  readonly version: string;
  /** Ways to set up the agent in a terminal; empty if there is none. */
  readonly terminalSetups: readonly TerminalSetup[];
  /** Opens a new session. */
  open(request: OpenRequest): Promise<EditorSession>;
  /** Opens a stored session. Resolves with undefined if there is no such session. */
  resume(sessionId: string, request: OpenRequest): Promise<EditorSession | undefined>;
  /** Lists sessions, the latest first. */
  list(query: SessionListQuery): Promise<ListedSessions>;
  /**
   * Deletes a session that is not open. Resolves with false if there is no such session. Absent if this host
   * cannot delete sessions.
   */
  delete?(sessionId: string): Promise<boolean>;
}

/** An editor's request to open a session. */
export interface OpenRequest {
  /** Absolute path of the directory to work in. */
  readonly directory: string;
  /** MCP servers that the editor names. They must not run before somebody allows them. */
  readonly mcpServers: Readonly<Record<string, McpServer>>;
  /** The editor's files; absent if the editor has none. */
  readonly files?: EditorFiles;
}

/** An open session. Closing the face ends it. */
export interface EditorSession {
  readonly face: FacePort;
  /** The directory that the session works in. */
  readonly directory: string;
  /** Names of the models that the person may choose from. */
  readonly models: readonly string[];
}

/** Set-up in a terminal: the editor starts the same program again, with these arguments. */
export interface TerminalSetup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly args: readonly string[];
}

/** A page of a list of sessions. */
export interface SessionListQuery {
  /** Lists only sessions of this directory. */
  readonly directory?: string;
  /** The `cursor` of the page before; absent for the first page. */
  readonly cursor?: string;
}

/** Sessions, and the position of the next page. */
export interface ListedSessions {
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly directory: string;
    readonly title?: string;
    readonly updatedAt?: string;
  }[];
  readonly next?: string;
}
