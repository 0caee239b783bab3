import { isOpen } from "../record/calls/open-call.js";
import { runRound } from "./calls/run-round.js";
import { runToolCalls } from "./calls/run-tool-calls.js";
import { compactWhenFull } from "./compact-history.js";
import { findLimit } from "./limits/turn-limits.js";
import { runModelStep } from "./run-model-step.js";
import type { TurnScope } from "./turn-scope.js";

/** Thrown if a turn reaches a limit. Its message is shown to the person. */
export class TurnLimitError extends Error {
  override readonly name = "TurnLimitError";
}

/**
 * Asks the model, runs the tools that it requests, and repeats until it requests none.
 *
 * The turn continues from the journaled state, so calls that a restart interrupted run first. Returns
 * early if the signal aborts.
 */
export async function runTurn(scope: TurnScope): Promise<void> {
  const { recorder, signal } = scope;
  await waitForTools(scope);
  do {
    await recorder.flush();
    if (hasOpenCalls(scope)) await finishOpenCalls(scope);
    await runPrelude(scope);
    if (signal.aborted) return;
    await deliverSteering(scope);
    checkLimits(scope);
    await scope.workClock.measure(() => compactWhenFull(scope));
    await scope.workClock.measure(() => runModelStep(scope));
  } while (!signal.aborted && (hasOpenCalls(scope) || hasSteering(scope)));
}

async function runPrelude(scope: TurnScope): Promise<void> {
  const calls = scope.prelude?.calls() ?? [];
  if (calls.length === 0 || scope.signal.aborted) return;
  const settled = await runRound(calls, scope);
  if (settled !== undefined) scope.prelude?.settled(settled);
}

/** Runs the open calls that the model requested, or the calls of a prelude that a restart interrupted. */
async function finishOpenCalls(scope: TurnScope): Promise<void> {
  const { recorder, prelude } = scope;
  const isRound = recorder.state.turn?.isRound === true;
  await runToolCalls(scope);
  const settled = recorder.state.turn?.rounds.at(-1);
  if (isRound && settled !== undefined && !scope.signal.aborted) prelude?.settled(settled);
}

/** Time that tools may take to load before the turn logs that it waits for them. */
const NOTICE_AFTER_MS = 1_000;

async function waitForTools({ ready, signal, recorder }: TurnScope): Promise<void> {
  if (signal.aborted) return;
  const notice = setTimeout(() => {
    const log = { type: "info", content: "waiting for MCP servers that have not answered yet" };
    recorder.commit({ events: [{ kind: "CONSOLE_LOG", log }] }).catch(() => {});
  }, NOTICE_AFTER_MS);
  let stopWaiting = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      stopWaiting = resolve;
      signal.addEventListener("abort", stopWaiting);
      ready.then(resolve, reject);
    });
  } finally {
    clearTimeout(notice);
    // As long as a signal has listeners, Node keeps it in memory, and with it the whole session.
    signal.removeEventListener("abort", stopWaiting);
  }
}

function hasOpenCalls({ recorder }: TurnScope): boolean {
  return recorder.state.turn?.calls.some(isOpen) === true;
}

function hasSteering({ recorder }: TurnScope): boolean {
  return (recorder.state.turn?.steering.length ?? 0) > 0;
}

/** Adds the steering prompts, which arrived during the turn, to the conversation. */
async function deliverSteering(scope: TurnScope): Promise<void> {
  const { recorder } = scope;
  const steering = recorder.state.turn?.steering ?? [];
  if (steering.length === 0) return;
  await recorder.commit({
    journal: [{ type: "steering-delivered" }],
    events: steering.map(({ messageId, parts, origin }) => ({
      kind: "USER_PROMPT" as const,
      messageId,
      parts,
      origin,
    })),
  });
}

function checkLimits({ recorder, limits, workClock }: TurnScope): void {
  const { turn, history } = recorder.state;
  if (turn === undefined) return;
  const { steps, usage } = turn;
  const reason = findLimit({ steps, usage, history, workMs: workClock.elapsedMs() }, limits);
  if (reason !== undefined) throw new TurnLimitError(reason);
}
