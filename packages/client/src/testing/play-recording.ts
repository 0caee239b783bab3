import {
  isGrant,
  isTerminalState,
  type SessionEvent,
  type TaskState,
  type ToolCall,
} from "@dt/schema";
import { decodeRecording } from "@dt/schema/wire";
import { sleep } from "../transport/reconnect.js";
import type { FakeScript, FakeTurn } from "./fake-turn.js";

/** Options of {@link playRecording}. */
export interface PlayRecordingOptions {
  /** Speed: 1 is the recorded speed, and 10 is ten times faster. Default: no pauses. */
  readonly speed?: number;
}

/**
 * Creates a script that plays a recorded session, a `.jsonl` file of `dt --record`. Each prompt
 * plays the next recorded turn, whatever its text. A question waits for a real answer. If the
 * answer allows a tool that the recording refused, or the reverse, the turn ends as `completed`. A
 * turn that was recorded with an error ends as `failed` with that error.
 */
export function playRecording(text: string, options: PlayRecordingOptions = {}): FakeScript {
  const { events } = decodeRecording(text);
  const turns = splitTurns(events);
  let played = 0;
  return async (turn) => {
    const recorded = turns[played];
    played += 1;
    if (recorded === undefined) {
      turn.say("the recording has no more turns");
      return undefined;
    }
    return await playTurn(recorded, turn, options);
  };
}

/** Splits events into turns. Each prompt begins a turn. */
function splitTurns(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  const turns: SessionEvent[][] = [];
  for (const event of events) {
    if (event.kind === "USER_PROMPT" || turns.length === 0) turns.push([]);
    if (event.kind !== "USER_PROMPT" && event.kind !== "QUEUE") turns.at(-1)?.push(event);
  }
  return turns;
}

async function playTurn(
  events: readonly SessionEvent[],
  turn: FakeTurn,
  { speed }: PlayRecordingOptions,
): Promise<TaskState> {
  /** Calls that ask, collected until the recording waits for their answers. */
  let asking: ToolCall[] = [];
  let before: SessionEvent | undefined;
  for (const event of events) {
    await pause(before, event, speed, turn.signal);
    before = event;
    if (event.kind === "STATE_CHANGE") {
      // In a recorded live session, the event of the idle state after a failed turn has the error. The
      // terminal state at the end has no error.
      if (event.error !== undefined) throw new Error(event.error);
      if (isTerminalState(event.state)) return event.state;
      if (event.state === "input-required" && asking.length > 0) {
        const answers = await turn.ask(...asking);
        const isDifferent = answers.some(
          ({ toolCallId, selectedOptionId }) =>
            isGrant(selectedOptionId) !== wasGranted(events, toolCallId),
        );
        if (isDifferent) return "completed";
        asking = [];
      }
      continue;
    }
    if (event.kind === "TOOL_CALL_UPDATE") {
      if (event.toolCall.confirmationRequest !== undefined) {
        asking.push(event.toolCall);
        continue;
      }
      // The real answer has already caused this update, so the recorded update is skipped.
      if (event.answer !== undefined) continue;
    }
    turn.emit(event, event);
  }
  return "completed";
}

function wasGranted(events: readonly SessionEvent[], toolCallId: string): boolean {
  return events.some(
    (event) =>
      event.kind === "TOOL_CALL_UPDATE" &&
      event.toolCall.toolCallId === toolCallId &&
      event.toolCall.status === "EXECUTING",
  );
}

async function pause(
  before: SessionEvent | undefined,
  event: SessionEvent,
  speed: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const passedMs = before === undefined ? 0 : Date.parse(event.at) - Date.parse(before.at);
  if (speed === undefined || !(passedMs > 0)) return;
  await sleep(passedMs / speed, signal);
}
