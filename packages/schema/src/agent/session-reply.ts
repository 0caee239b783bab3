import type { ErrorCode } from "../errors/error-codes.js";
import type { ErrorData } from "../errors/protocol-error.js";
import type { CommandExecutionStatus, SlashCommand } from "../gen/development_tool/command.js";
import type { Origin } from "../gen/dt_session/event.js";
import type { AgentMetadata } from "./agent-metadata.js";
import type { PermissionMode } from "./permission-mode.js";
import type { SessionRequest } from "./session-request.js";

/** Reply of an agent to a {@link SessionRequest}. Plain JSON. */
export type SessionReply =
  | TicketReply
  | AnswerReply
  | ChangeReply
  | CommandReply
  | CommandsReply
  | ModesReply
  | MetadataReply
  | PermissionsReply
  | RefusedReply;

/** The task and turn of an accepted message, and the position of the message's events in the log. */
export interface Ticket {
  readonly taskId: string;
  /** Number of the turn that the message starts, joins or continues. */
  readonly turn: number;
  /** Position in the log just before the first event that the message caused. */
  readonly afterPosition: number;
}

/** Reply to an accepted request. The ticket is absent if the request was a retry and no turn can be retried. */
export interface TicketReply {
  readonly type: "ticket";
  readonly ticket?: Ticket;
}

/** Reply to answers: one verdict for each answer, in order. */
export interface AnswerReply {
  readonly type: "answered";
  readonly verdicts: readonly AnswerVerdict[];
}

/** Result of one answer. */
export type AnswerVerdict =
  | { readonly accepted: true; readonly ticket: Ticket }
  | {
      readonly accepted: false;
      readonly reason: "closed";
      /** Sender of the first answer. */
      readonly answeredBy: Origin;
      readonly selectedOptionId: string;
    }
  | { readonly accepted: false; readonly reason: "unknown" };

/** Reply that says whether a request changed anything. */
export interface ChangeReply {
  readonly type: "changed";
  readonly isChanged: boolean;
}

/** Reply to a slash command. */
export interface CommandReply extends CommandStart {
  readonly type: "command";
}

/** Result of starting a slash command. */
export interface CommandStart {
  readonly status: CommandExecutionStatus;
  /** Reason why the command could not start, or the question that the command waits for. */
  readonly message: string;
  /** Absent if the command could not start. */
  readonly ticket?: Ticket;
}

/** The slash commands of the session. */
export interface CommandsReply {
  readonly type: "commands";
  readonly commands: readonly SlashCommand[];
}

/** The permission modes that are in force. */
export interface ModesReply {
  readonly type: "modes";
  /** Mode of the caller's prompts. */
  readonly mode: PermissionMode;
  /** Mode of callers that have not set a mode. */
  readonly startMode: PermissionMode;
  /** Modes that other credentials have set. */
  readonly others: readonly HeldMode[];
}

/** A mode that a credential has set, with the name of its user. */
export interface HeldMode {
  readonly name: string;
  readonly mode: PermissionMode;
}

/** Model, MCP servers and tools of the session. */
export interface MetadataReply {
  readonly type: "metadata";
  readonly metadata: AgentMetadata;
}

/** The remembered answers of a session. */
export interface PermissionsReply {
  readonly type: "permissions";
  readonly permissions: readonly Permission[];
}

/** A remembered answer, which applies to later calls. */
export interface Permission {
  readonly number: number;
  /** Description of the calls that the answer allows. */
  readonly covers: string;
  readonly givenBy: Origin;
}

/** Refusal of a request, with a code of the error table. */
export interface RefusedReply {
  readonly type: "refused";
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: ErrorData;
}

/** Type of the reply to each type of request. A refused request gets `refused` instead. */
export const REPLY_TYPES = {
  prompt: "ticket",
  steer: "ticket",
  withdraw: "changed",
  answer: "answered",
  cancel: "changed",
  retry: "ticket",
  command: "command",
  "list-commands": "commands",
  "open-task": "ticket",
  "get-modes": "modes",
  "get-metadata": "metadata",
  "list-permissions": "permissions",
  "forget-permissions": "changed",
  "announce-access": "changed",
  finish: "changed",
} as const satisfies Record<SessionRequest["type"], SessionReply["type"]>;

/** Reply to one type of request. */
export type ReplyTo<TType extends SessionRequest["type"]> = Extract<
  SessionReply,
  { readonly type: (typeof REPLY_TYPES)[TType] }
>;
