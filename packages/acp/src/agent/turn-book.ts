import type { SessionEvent } from "@dt/schema";
import { advanceTurns, findRunningTurn, type TurnOutcome, type Turns } from "./advance-turns.js";

/** The turns that the editor waits for. */
export interface TurnBook {
  /** True if a prompt of the editor has not ended. */
  readonly isWaiting: boolean;
  /** Expects the turn of a prompt that is about to be sent. */
  expect(text: string, options?: { readonly isSilent?: boolean }): PromisedTurn;
  /** Follows an event. Call `settle` of the result after the event was shown. */
  follow(event: SessionEvent): FollowedEvent;
  /** Message ids of prompts that wait in the queue. */
  queuedIds(): readonly string[];
  /** Ends every turn, because the session is closed. */
  close(): void;
}

/** A turn of the editor that has not ended. */
export interface PromisedTurn {
  readonly ended: Promise<TurnOutcome>;
  /** Forgets the turn. Called if its prompt was refused or could not be sent. */
  forget(): void;
}

/** Relation of an event to the turns that the editor waits for. */
export interface FollowedEvent {
  /** True for the event of a prompt that this editor sent. The editor shows such a prompt itself. */
  readonly isExpected: boolean;
  /** True if the event belongs to a turn whose text is not shown. */
  readonly isSilent: boolean;
  /** Resolves the turns that the event ended. */
  settle(): void;
}

/** Creates a book without turns. */
export function createTurnBook(
  isOwn: (event: SessionEvent & { readonly kind: "USER_PROMPT" }) => boolean,
): TurnBook {
  const waiting = new Map<number, (outcome: TurnOutcome) => void>();
  let turns: Turns = [];
  let lastId = 0;

  function settle(id: number, outcome: TurnOutcome): void {
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  }

  return {
    get isWaiting() {
      return turns.length > 0;
    },
    expect(text, { isSilent = false } = {}) {
      lastId += 1;
      const id = lastId;
      turns = [...turns, { id, text, isSilent }];
      const ended = new Promise<TurnOutcome>((resolve) => waiting.set(id, resolve));
      return {
        ended,
        forget() {
          turns = turns.filter((turn) => turn.id !== id);
          waiting.delete(id);
        },
      };
    },
    follow(event) {
      const before = findRunningTurn(turns, event.taskId);
      const { turns: next, ended } = advanceTurns(turns, event, isOwn);
      turns = next;
      const { isSilent = false } = before ?? findRunningTurn(next, event.taskId) ?? {};
      const isExpected =
        event.kind === "USER_PROMPT" &&
        next.some(({ running }) => running?.messageId === event.messageId);
      return {
        isExpected,
        isSilent,
        settle() {
          for (const { id, outcome } of ended) settle(id, outcome);
        },
      };
    },
    queuedIds: () =>
      turns.flatMap(({ queuedId, running }) =>
        queuedId === undefined || running !== undefined ? [] : [queuedId],
      ),
    close() {
      for (const id of [...waiting.keys()]) settle(id, { type: "cancelled" });
      turns = [];
    },
  };
}
