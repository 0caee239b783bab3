import type { FacePort, FaceState, StopSignal } from "../agent/face/face-port.js";
import type { FaceReply } from "../agent/face/face-reply.js";
import { textOf } from "../event/part.js";
import { isUnfinished } from "../event/reduce-session-view.js";
import { openQuestions } from "../event/task-view.js";

/** A guarantee of every face: a name, and a check that throws if the face breaks the guarantee. */
export interface FaceGuarantee {
  readonly name: string;
  check(stage: FaceStage): Promise<void>;
}

/**
 * A face of a new session, and another client in the same session. The agent replies `heard TEXT` to the
 * prompt TEXT. For the prompt "ask", it asks one question before the reply. For the prompt "wait", it works
 * until the turn is cancelled. The agent has no commands.
 */
export interface FaceStage {
  readonly face: FacePort;
  promptElsewhere(text: string): Promise<void>;
  answerElsewhere(toolCallId: string, optionId: string): Promise<void>;
}

/** Sends a prompt with one text part. */
export function prompt(face: FacePort, text: string): Promise<FaceReply> {
  return face.handle({ type: "prompt", parts: [{ type: "text", text }] });
}

/** Waits for a state that matches, and returns it. */
export async function untilState(
  face: FacePort,
  fits: (state: FaceState) => boolean,
): Promise<FaceState> {
  for await (const state of face.states(createStop().signal)) if (fits(state)) return state;
  throw new Error("the face was closed before a state matched");
}

/** Waits for an open question, and returns the id of its tool call. */
export async function untilAsked(face: FacePort): Promise<string> {
  const { view } = await untilState(face, ({ view: each }) => openQuestions(each).length > 0);
  return openQuestions(view)[0]?.toolCallId ?? "";
}

/** Returns true if no turn runs, no question is open and no prompt waits. */
export function isIdleFace({ view }: FaceState): boolean {
  return !isUnfinished(view) && view.queue.length === 0;
}

/** Returns the agent's text items. */
export function textsIn({ view }: FaceState): readonly string[] {
  return view.items.flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
}

/** Returns the text of each prompt. */
export function promptsIn({ view }: FaceState): readonly string[] {
  return view.items.flatMap(({ event }) =>
    event.kind === "USER_PROMPT" ? [textOf(event.parts)] : [],
  );
}

/** Creates a signal, and the function that aborts it. */
export function createStop(): { readonly signal: StopSignal; stop(): void } {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_, listener) => void listeners.add(listener),
      removeEventListener: (_, listener) => void listeners.delete(listener),
    },
    stop() {
      aborted = true;
      for (const listener of [...listeners]) listener();
    },
  };
}

/** Throws if two values do not have the same JSON. */
export function throwUnlessEqual(found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`found ${one}, expected ${other}`);
}
