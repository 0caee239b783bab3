import { setImmediate } from "node:timers/promises";
import {
  type FacePort,
  type FaceReply,
  type FaceState,
  type FaceStatus,
  type ModesReply,
  reduceSessionView,
  type SessionEvent,
} from "@dt/schema";
import type { LiveSession } from "@dt/server";
import { createStateFeed } from "../state-feed.js";
import { toAbortSignal } from "../to-abort-signal.js";
import { toFaceReply } from "../to-face-reply.js";
import type { AnswerGate } from "./answer-gate.js";
import { handleLocal, TERMINAL_CALLER } from "./handle-local.js";
import { readLocalHistory } from "./local-history.js";

/** Options of {@link openLocalFace}. */
export interface LocalFaceOptions {
  readonly live: LiveSession;
  /** Holds answers of other clients while the terminal answers. */
  readonly gate: AnswerGate;
  /** Returns the current status. */
  status(modes: ModesReply): FaceStatus;
}

/** The face of a session of this process. */
export interface LocalFace extends FacePort {
  /** Reads the status again; called when a client or the endpoint has changed. */
  refresh(): Promise<void>;
}

/**
 * Number of events that are folded before subscribers get the new state. A view holds more items than this
 * number, so subscribers miss no item.
 */
const FOLD_BATCH_SIZE = 50;

/** Opens the face of a live session at its current state. Closing the face ends the session. */
export async function openLocalFace({ live, gate, status }: LocalFaceOptions): Promise<LocalFace> {
  const { agent, taskId, contextId } = live;
  const feed = createStateFeed<FaceState>(() => ({
    view,
    commands,
    status: { ...status(modes), ...(trouble !== undefined && { trouble }) },
  }));
  let view = await live.view();
  let commands = await agent.listCommands(TERMINAL_CALLER);
  let modes = await agent.getModes(TERMINAL_CALLER);
  let trouble: string | undefined;
  let sending: Promise<unknown> = Promise.resolve();

  /** Reads commands and modes again, because a turn or a client may have changed them. */
  async function readCommandsAndModes(): Promise<void> {
    const before = JSON.stringify(modes);
    try {
      [commands, modes] = await Promise.all([
        agent.listCommands(TERMINAL_CALLER),
        agent.getModes(TERMINAL_CALLER),
      ]);
    } catch {
      // The session is closed, or its agent is opening again. The last known values stay.
    }
    if (JSON.stringify(modes) !== before) feed.notify();
  }

  async function fold(batch: readonly SessionEvent[]): Promise<void> {
    for (const [index, event] of batch.entries()) {
      view = reduceSessionView(view, event);
      if (index % FOLD_BATCH_SIZE === FOLD_BATCH_SIZE - 1) await setImmediate();
      feed.notify();
    }
  }

  async function follow(): Promise<void> {
    for await (const batch of live.events(fromNow({}))) {
      await fold(batch);
      await readCommandsAndModes();
    }
  }

  function fromNow(options: { readonly signal?: AbortSignal }) {
    return { ...options, ...(view.cursor !== undefined && { after: view.cursor }) };
  }

  const following = follow().catch((reason: unknown) => {
    trouble = reason instanceof Error ? reason.message : String(reason);
    feed.notify();
  });

  return {
    contextId,
    traits: { own: { principal: TERMINAL_CALLER.user }, canWithdraw: true },
    handle(request): Promise<FaceReply> {
      const work = () => toFaceReply(() => handleLocal(request, { agent, taskId, gate }));
      if (request.type !== "prompt") return work();
      const sent = sending.then(work);
      sending = sent.catch(() => {});
      return sent;
    },
    states: (signal) => feed.states(signal),
    events: (signal) => live.events(fromNow({ signal: toAbortSignal(signal) })),
    history: (signal) => readLocalHistory(live, signal),
    async refresh() {
      await readCommandsAndModes();
      feed.notify();
    },
    async close() {
      // The session closes first, so that subscribers of the state get its last events.
      await live.close();
      await following;
      feed.close();
    },
  };
}
