import type { FacePort, FaceState, StopSignal } from "../agent/face-port.js";
import type { FaceReply } from "../agent/face-reply.js";
import { textOf } from "../event/part.js";
import { isUnfinished } from "../event/reduce-session-view.js";
import { openQuestions } from "../event/task-view.js";

/** One promise that every face keeps: a name, and a check that throws if it does not. */
export interface FacePromise {
  readonly name: string;
  check(stage: FaceStage): Promise<void>;
}

/**
 * A face of a new session, and somebody else who is in the session too. The agent says `heard TEXT` to
 * each prompt; before that it asks one question if the text is "ask", and works until it is cancelled
 * if the text is "wait". It has no commands.
 */
export interface FaceStage {
  readonly face: FacePort;
  promptElsewhere(text: string): Promise<void>;
  answerElsewhere(toolCallId: string, optionId: string): Promise<void>;
}

/** Sends a prompt of text. */
export function prompt(face: FacePort, text: string): Promise<FaceReply> {
  return face.handle({ type: "prompt", parts: [{ type: "text", text }] });
}

/** The first state that fits. */
export async function untilState(
  face: FacePort,
  fits: (state: FaceState) => boolean,
): Promise<FaceState> {
  for await (const state of face.states(createStop().signal)) if (fits(state)) return state;
  throw new Error("the face was closed before such a state");
}

/** The id of the first call that asks. */
export async function untilAsked(face: FacePort): Promise<string> {
  const { view } = await untilState(face, ({ view: each }) => openQuestions(each).length > 0);
  return openQuestions(view)[0]?.toolCallId ?? "";
}

/** True if nothing runs and nothing is asked. */
export function rests({ view }: FaceState): boolean {
  return !isUnfinished(view) && view.queue.length === 0;
}

/** The texts that the agent has said. */
export function textsIn({ view }: FaceState): readonly string[] {
  return view.items.flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
}

/** The texts of the prompts. */
export function promptsIn({ view }: FaceState): readonly string[] {
  return view.items.flatMap(({ event }) =>
    event.kind === "USER_PROMPT" ? [textOf(event.parts)] : [],
  );
}

/** A signal, and the function that raises it. */
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

/** Throws unless two values have the same JSON. */
export function throwUnlessEqual(found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`found ${one}, expected ${other}`);
}
