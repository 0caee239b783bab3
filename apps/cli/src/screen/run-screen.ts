import type { LeavingSignals } from "../terminal/leaving-signals.js";
import { openScreen, type ScreenOptions } from "./open-screen.js";

/** Options of {@link runScreen}. */
export interface RunScreenOptions extends ScreenOptions {
  /** Signals that end the screen. */
  readonly leaving: LeavingSignals;
}

/** Draws a session and handles keys until the person leaves; resolves with the exit code. */
export async function runScreen(options: RunScreenOptions): Promise<number> {
  const { leaving } = options;
  let leave: (exitCode: number) => void = () => {};
  const exited = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const onSignal = () => leave(leaving.exitCode ?? 1);
  leaving.signal.addEventListener("abort", onSignal);
  if (leaving.signal.aborted) onSignal();
  const screen = openScreen(options, (exitCode) => leave(exitCode));
  try {
    return await exited;
  } finally {
    leaving.signal.removeEventListener("abort", onSignal);
    screen.close();
  }
}
