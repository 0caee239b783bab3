import { ProtocolError } from "@dt/schema";
import type { Limits } from "./limits.js";
import { createTurnSlots, type TurnSlotLimits } from "./turn-slots.js";

/** Limits the number of sessions that run a turn at the same time. Prompts of other sessions wait in a queue. */
export interface TurnGate {
  /**
   * Resolves when the session may start a turn. Throws `agent-busy` if the queue is full, if the prompt waits too long,
   * or if the gate is closed.
   */
  enter(contextId: string, owner: string): Promise<void>;
  /** Like `enter`, but throws `agent-busy` instead of waiting. */
  enterNow(contextId: string, owner: string): void;
  /** Throws `agent-busy` if a prompt would be refused at once. */
  check(contextId: string, owner: string): void;
  /**
   * Counts a session as working, even beyond the limits. This is for turns that did not pass `enter`, such as
   * a turn that goes on after the answer to its question.
   */
  forceEnter(contextId: string, owner: string): void;
  /** Counts a session as idle, and admits waiting prompts if the limits allow it. */
  release(contextId: string): void;
  /** Refuses all waiting and all later prompts. */
  close(): void;
  /** Resolves when no session is working. */
  waitUntilIdle(): Promise<void>;
  /** Number of sessions that run a turn. */
  readonly workingCount: number;
  /** Number of prompts that wait. */
  readonly waitingCount: number;
}

/** Time that a refused client should wait before it retries. */
const RETRY_AFTER_MS = 1_000;

interface WaitingPrompt {
  readonly contextId: string;
  readonly owner: string;
  readonly admit: () => void;
  readonly refuse: (error: ProtocolError) => void;
}

type GateLimits = TurnSlotLimits & Pick<Limits, "maxWaitingPrompts" | "maxWaitMs">;

/** Creates a gate. It admits prompts in order of arrival, but skips owners that have reached their own limit. */
export function createTurnGate(limits: GateLimits): TurnGate {
  const { maxWaitingPrompts, maxWaitMs } = limits;
  const slots = createTurnSlots(limits);
  const waiting = new Set<WaitingPrompt>();
  let isClosed = false;
  const onIdle: (() => void)[] = [];

  function tryEnter(contextId: string, owner: string): boolean {
    if (isClosed) throw createStoppingError();
    if (!slots.hasRoom(contextId, owner)) return false;
    slots.take(contextId, owner);
    return true;
  }

  function checkQueue(owner: string): void {
    if (waiting.size < maxWaitingPrompts) return;
    const reason = `no more than ${maxWaitingPrompts} prompts may wait`;
    throw createBusyError(slots.describeLimit(owner), reason);
  }

  function wait(contextId: string, owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const reason = `the prompt was not admitted within ${maxWaitMs} ms`;
        prompt.refuse(createBusyError(slots.describeLimit(owner), reason));
      }, maxWaitMs);
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(prompt);
      };
      const prompt: WaitingPrompt = {
        contextId,
        owner,
        admit() {
          leave();
          resolve();
        },
        refuse(error) {
          leave();
          reject(error);
        },
      };
      waiting.add(prompt);
    });
  }

  return {
    forceEnter: slots.take,
    async enter(contextId, owner) {
      if (tryEnter(contextId, owner)) return;
      checkQueue(owner);
      await wait(contextId, owner);
    },
    check(contextId, owner) {
      if (isClosed) throw createStoppingError();
      if (!slots.hasRoom(contextId, owner)) checkQueue(owner);
    },
    enterNow(contextId, owner) {
      if (tryEnter(contextId, owner)) return;
      throw createBusyError(slots.describeLimit(owner), "a command does not wait");
    },
    release(contextId) {
      slots.release(contextId);
      for (const { contextId: id, owner, admit } of [...waiting]) {
        if (!slots.hasRoom(id, owner)) continue;
        slots.take(id, owner);
        admit();
      }
      if (slots.size > 0) return;
      for (const resolve of onIdle.splice(0)) resolve();
    },
    close() {
      isClosed = true;
      for (const { refuse } of [...waiting]) refuse(createStoppingError());
    },
    async waitUntilIdle() {
      if (slots.size > 0) await new Promise<void>((resolve) => onIdle.push(resolve));
    },
    get workingCount() {
      return slots.size;
    },
    get waitingCount() {
      return waiting.size;
    },
  };
}

function createBusyError(limit: string, reason: string): ProtocolError {
  const message = `the limit of simultaneous turns (${limit}) is reached, and ${reason}; send the message again later`;
  return new ProtocolError("agent-busy", message, { data: { retryAfterMs: RETRY_AFTER_MS } });
}

function createStoppingError(): ProtocolError {
  return new ProtocolError("agent-busy", "the server is stopping; send the message again", {
    data: { retryAfterMs: RETRY_AFTER_MS },
  });
}
