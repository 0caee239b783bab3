import type { Origin, SessionEvent, SlashCommand, TaskView } from "@dt/schema";

/**
 * What a screen watches and drives: the session of this process, or someone else's. The screen never
 * changes what it shows by itself: it asks, and draws what the view says came of it.
 */
export interface ScreenSession {
  /** What is known now. */
  view(): TaskView;
  /** Grows when the view begins anew with another task: its items then count from the beginning. */
  readonly generation: number;
  status(): SessionStatus;
  /** Calls back after every event and every change of the status; returns how to stop. */
  onChange(listener: () => void): () => void;
  /** Whether a prompt or an answer came from this screen. */
  isOwn(origin: Origin): boolean;
  commands(): readonly SlashCommand[];
  /** Resolves when the prompt is taken: its turn starts now, or when those before it have ended. */
  prompt(text: string): Promise<void>;
  /** Takes a prompt back that waits; false where it does not wait any more. Absent: nobody can. */
  withdraw?(messageId: string): Promise<boolean>;
  /** Runs a slash command; gives why it could not be started, where it could not. */
  runCommand(command: SessionCommand): Promise<string | undefined>;
  answer(toolCallId: string, answer: ScreenAnswer): Promise<AnswerOutcome>;
  /** Lets others wait while a key may answer this question. Absent: they are elsewhere. */
  holdAnswer?(toolCallId: string | undefined): void;
  /** Ends what the agent is doing; gives the prompts of this screen that waited and went with it. */
  cancel(): Promise<readonly string[]>;
  /** All that ever happened, page by page. Throws where the session does not offer it. */
  history(signal: AbortSignal): AsyncIterable<readonly SessionEvent[]>;
  close(): Promise<void>;
}

/** A slash command and what stands behind it. */
export interface SessionCommand {
  readonly path: readonly string[];
  readonly args: string;
}

/** An option's id, or the content that the person wants instead of what was proposed. */
export type ScreenAnswer =
  | { readonly optionId: string }
  | { readonly optionId: string; readonly newContent: string };

/** How an answer was received. */
export type AnswerOutcome =
  | { readonly accepted: true }
  /** `reason`: a sentence for the person, e.g. who answered first and with what. */
  | { readonly accepted: false; readonly reason: string };

/** What surrounds the conversation. */
export interface SessionStatus {
  readonly model: string;
  /** How freely what is typed here may act; undefined where that is not known. */
  readonly mode?: string;
  /** Clients whose prompts act more freely than what is typed here. */
  readonly freerClients?: readonly { readonly name: string; readonly mode: string }[];
  /** The mode of clients that set none, where it is freer than that of what is typed here. */
  readonly freerStart?: string;
  /** Where others can join. */
  readonly endpoint?: string;
  /** How many of them watch. */
  readonly clients?: number;
  /** Set while the session cannot be reached: a sentence. */
  readonly trouble?: string;
  /** Whether it is over: nobody takes prompts any more. */
  readonly hasEnded?: boolean;
  /** Prompts that were typed here and are held back until the session is reached again. */
  readonly held?: readonly string[];
}
