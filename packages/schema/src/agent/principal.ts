import type { CommandExecutionStatus } from "../gen/development_tool/command.js";
import type { Origin } from "../gen/dt_session/event.js";

/** Who acts, as whoever accepted the connection authenticated it; never what a client says. */
export interface Principal extends Origin {
  /** A stable id: "terminal", "local", or a token's owner. */
  readonly principal: string;
  /** A name to show. */
  readonly name: string;
}

/**
 * A principal, and the credential that its request came with. Sessions, receipts and remembered answers
 * belong to the principal; a permission mode belongs to the credential and ends with it.
 */
export interface Caller extends Principal {
  /** One socket, one client id or the host's terminal; undefined for an anonymous request. */
  readonly credential?: string;
}

/**
 * The HTTP header with which a client tells its requests apart from those of others: a random id of at
 * least 128 bits, the same with every request. It is a secret between client and server.
 */
export const CLIENT_ID_HEADER = "X-DT-Client-Id";

/** How an answer to a question was received. */
export type AnswerVerdict =
  | {
      readonly accepted: true;
      readonly taskId: string;
      readonly turn: number;
      readonly seq: number;
    }
  | {
      readonly accepted: false;
      readonly reason: "closed";
      /** Who answered first, and with what. */
      readonly answeredBy: Origin;
      readonly selectedOptionId: string;
    }
  | { readonly accepted: false; readonly reason: "unknown" };

/** A prompt that a session has taken. */
export interface PromptTicket {
  readonly taskId: string;
  /** The number of the turn that it starts or will start. */
  readonly turn: number;
  /** The place in the log of the first event that it brought about. */
  readonly seq: number;
}

/** How a slash command began. */
export interface CommandTicket {
  readonly status: CommandExecutionStatus;
  /** Why it could not be started, or what it waits for. */
  readonly message: string;
  /** Where its events are; absent where it could not be started. */
  readonly ticket?: PromptTicket;
}
