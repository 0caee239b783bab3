import { ProtocolError } from "@dt/schema";
import type { Limits } from "./limits.js";

/** Lets so many sessions work at once; the prompts of others wait in line. */
export interface TurnGate {
  /** Resolves when the session may start a turn; throws `agent-busy` where it may not even wait. */
  enter(contextId: string, owner: string): Promise<void>;
  /** The same for what must be answered at once: throws `agent-busy` where it would have to wait. */
  enterNow(contextId: string, owner: string): void;
  /** Throws `agent-busy` where a prompt would be refused at once. */
  check(contextId: string, owner: string): void;
  /** The session works, whoever let it: an answer goes on with a turn without asking. */
  hold(contextId: string, owner: string): void;
  /** The session rests. */
  release(contextId: string): void;
  /** Sends everyone away who waits or comes. */
  close(): void;
  /** Resolves when no session works. */
  idle(): Promise<void>;
  readonly working: number;
  readonly waiting: number;
}

/** What a refused prompt is told to wait before it is sent again. */
const RETRY_AFTER_MS = 1_000;

interface Waiting {
  readonly contextId: string;
  readonly owner: string;
  readonly admit: () => void;
  readonly refuse: (error: ProtocolError) => void;
}

type GateLimits = Pick<Limits, "maxTurns" | "maxTurnsPerOwner" | "maxWaitingPrompts" | "maxWaitMs">;

/** Opens a gate. In order of arrival, except that nobody waits for an owner who has too many. */
export function createTurnGate(limits: GateLimits): TurnGate {
  const working = new Map<string, string>();
  const ownTurns = new Map<string, number>();
  let waiting: readonly Waiting[] = [];
  let isClosed = false;
  let onIdle: (() => void)[] = [];

  function hold(contextId: string, owner: string): void {
    if (working.has(contextId)) return;
    working.set(contextId, owner);
    ownTurns.set(owner, (ownTurns.get(owner) ?? 0) + 1);
  }

  function hasRoom(contextId: string, owner: string): boolean {
    if (working.has(contextId)) return true;
    return working.size < limits.maxTurns && (ownTurns.get(owner) ?? 0) < limits.maxTurnsPerOwner;
  }

  function admitWaiting(): void {
    for (const next of waiting) {
      if (!hasRoom(next.contextId, next.owner)) continue;
      hold(next.contextId, next.owner);
      next.admit();
    }
  }

  /** What tells a prompt which limit it has met. */
  function busy(owner: string, what: string): ProtocolError {
    const { maxTurns, maxTurnsPerOwner } = limits;
    const isOwn = (ownTurns.get(owner) ?? 0) >= maxTurnsPerOwner;
    const limit = isOwn ? `${maxTurnsPerOwner} for each owner` : `${maxTurns} for this server`;
    const message = `as many turns run as may at once, ${limit}, and ${what}; send it again later`;
    return new ProtocolError("agent-busy", message, { data: { retryAfterMs: RETRY_AFTER_MS } });
  }

  /** Whether there is a place, and takes it. */
  function tryEnter(contextId: string, owner: string): boolean {
    if (isClosed) throw closing();
    if (!hasRoom(contextId, owner)) return false;
    hold(contextId, owner);
    return true;
  }

  function checkLine(owner: string): void {
    if (waiting.length < limits.maxWaitingPrompts) return;
    throw busy(owner, `no more than ${limits.maxWaitingPrompts} prompts may wait`);
  }

  function forget(entry: Waiting): void {
    waiting = waiting.filter((other) => other !== entry);
  }

  function wait(contextId: string, owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        entry.refuse(busy(owner, `none of them ended within ${limits.maxWaitMs} ms`));
      }, limits.maxWaitMs);
      const leave = () => {
        clearTimeout(timer);
        forget(entry);
      };
      const entry: Waiting = {
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
      waiting = [...waiting, entry];
    });
  }

  return {
    hold,
    async enter(contextId, owner) {
      if (tryEnter(contextId, owner)) return;
      checkLine(owner);
      await wait(contextId, owner);
    },
    check(contextId, owner) {
      if (isClosed) throw closing();
      if (!hasRoom(contextId, owner)) checkLine(owner);
    },
    enterNow(contextId, owner) {
      if (!tryEnter(contextId, owner)) throw busy(owner, "a command does not wait");
    },
    release(contextId) {
      const owner = working.get(contextId);
      if (owner === undefined) return;
      working.delete(contextId);
      const left = (ownTurns.get(owner) ?? 1) - 1;
      if (left === 0) ownTurns.delete(owner);
      else ownTurns.set(owner, left);
      admitWaiting();
      if (working.size > 0) return;
      for (const resolve of onIdle) resolve();
      onIdle = [];
    },
    close() {
      isClosed = true;
      for (const { refuse } of waiting) refuse(closing());
    },
    idle: () =>
      working.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onIdle.push(resolve);
          }),
    get working() {
      return working.size;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

function closing(): ProtocolError {
  return new ProtocolError("agent-busy", "the server is stopping; send the message again", {
    data: { retryAfterMs: RETRY_AFTER_MS },
  });
}
