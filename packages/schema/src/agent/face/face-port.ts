import type { SessionEvent } from "../../event/agent-event.js";
import type { TaskView } from "../../event/task-view.js";
import type { SlashCommand } from "../../gen/development_tool/command.js";
import type { Origin } from "../../gen/dt_session/event.js";
import type { FaceReply } from "./face-reply.js";
import type { FaceRequest } from "./face-request.js";

/**
 * One session as a face drives it; a face is the terminal's screen or an editor. The session may be
 * in this process or elsewhere. A face never changes the state of the session directly. It sends a
 * request and shows the state that follows.
 */
export interface FacePort {
  /** Id of the session. */
  readonly contextId: string;
  readonly traits: FaceTraits;
  /**
   * Resolves when the request took effect or was refused. Requests of one face take effect in the order
   * of the calls. Rejects only for faults, such as a lost connection.
   */
  handle(request: FaceRequest): Promise<FaceReply>;
  /**
   * Yields the current state, then the newest state after each change, until the signal aborts or
   * the face is closed. A slow loop skips states, but never the last one.
   */
  states(signal: StopSignal): AsyncIterable<FaceState>;
  /** Yields each event from now on, once and in order, until the signal aborts or the face is closed. */
  events(signal: StopSignal): AsyncIterable<readonly SessionEvent[]>;
  /** Yields all events up to now, page by page, oldest first. Rejects if the agent stores no events. */
  history(signal: StopSignal): AsyncIterable<readonly SessionEvent[]>;
  /** Closes the face. A session of this process ends too; a session of another process continues. */
  close(): Promise<void>;
}

/** The members of `AbortSignal` that a face needs. This package does not use the types of a platform. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Properties of a face that do not change while it is open. */
export interface FaceTraits {
  /** Origin of this face's prompts and answers. {@link isOwnOrigin} ignores absent fields. */
  readonly own: Partial<Origin>;
  /** True if a waiting prompt can be withdrawn. */
  readonly canWithdraw: boolean;
}

/** The state of a session as a face shows it. Plain data, replaced as a whole. */
export interface FaceState {
  /** The conversation with its last items; `earlierItems` counts the items before them. */
  readonly view: TaskView;
  readonly commands: readonly SlashCommand[];
  readonly status: FaceStatus;
}

/** Properties of the session that are not part of its conversation. */
export interface FaceStatus {
  /** Model in use; empty if it is not known. */
  readonly model: string;
  /** Permission mode of this face's prompts; absent if it is not known. */
  readonly mode?: string;
  /** Clients whose permission mode allows more than this face's mode. */
  readonly freerClients?: readonly { readonly name: string; readonly mode: string }[];
  /** Mode of clients that have not set a mode, if it allows more than this face's mode. */
  readonly freerStart?: string;
  /** Address at which other clients can join the session. */
  readonly endpoint?: string;
  /** Number of connected clients. */
  readonly clients?: number;
  /** Reason why the session cannot be reached now, as a sentence. */
  readonly trouble?: string;
  /** True if the session is over and accepts no prompts. */
  readonly hasEnded?: boolean;
  /** Texts of this face's prompts that are sent when the session can be reached again. */
  readonly held?: readonly string[];
}

/** Returns true if a prompt or an answer was sent through the face. */
export function isOwnOrigin({ own }: Pick<FaceTraits, "own">, origin: Origin): boolean {
  return (
    (own.principal === undefined || own.principal === origin.principal) &&
    (own.name === undefined || own.name === origin.name)
  );
}
