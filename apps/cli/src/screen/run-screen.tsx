import { openQuestions, type QueuedPrompt } from "@dt/schema";
import { isKey, type Key, splitKey } from "../keys/decode-keys.js";
import { openPager, type Pager } from "../pager/open-pager.js";
import { findMention } from "../prompt/complete-file.js";
import { textAtEnd } from "../prompt/edit-text.js";
import type { PromptHistory } from "../prompt/prompt-history.js";
import type { ScreenSession } from "../session/screen-session.js";
import { createInkCanvas } from "../terminal/ink-canvas.js";
import { openKeyInput } from "../terminal/key-input.js";
import type { LeavingSignals } from "../terminal/leaving-signals.js";
import { createSizeWatch } from "../terminal/size-watch.js";
import { currentTerminalSize, terminalSize } from "../terminal/terminal-size.js";
import { createPaint } from "../text/paint-line.js";
import { App, Lines } from "./app.js";
import type { Effect } from "./effect.js";
import { createFileSource } from "./file-source.js";
import { reduceKey, settleHeldKey } from "./keys/reduce-key.js";
import { withText } from "./keys/reduce-prompt-key.js";
import { buildFrame } from "./lines/build-frame.js";
import { promptWidth } from "./lines/prompt-lines.js";
import { createSpinner } from "./lines/spinner.js";
import { type EffectScope, performEffect } from "./perform-effect.js";
import { screenCommands } from "./screen-commands.js";
import {
  chosenModeMs,
  heldKeyMs,
  initialScreenState,
  isAnswerable,
  leavingMs,
  menuOf,
  withoutChosenMode,
  withoutLeaving,
  withQuestion,
  withRefusedAnswer,
  withShownQuestion,
} from "./screen-state.js";
import { createSessionFeed } from "./session-feed.js";

/** What a screen is opened with. */
export interface ScreenOptions {
  readonly session: ScreenSession;
  readonly prompts: PromptHistory;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColour: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory whose files may be named; undefined where they are elsewhere. */
  readonly directory: string | undefined;
  /** What ends the screen beside the person at it. */
  readonly leaving: LeavingSignals;
  /** What is said before anything else. */
  readonly greeting: readonly string[];
}

/** How long the screen may lag behind what happens; keys are drawn at once. */
const frameMs = 33;

/** How soon a screen is back after a Ctrl-Z that nobody could continue. */
const wakeMs = 300;

/** Draws a session and takes keys until the person leaves; resolves with the exit code. */
export async function runScreen(options: ScreenOptions): Promise<number> {
  const { session, stdin, stdout, prompts } = options;
  const paint = createPaint(options);
  const canvas = createInkCanvas(stdout);
  const feed = createSessionFeed(session);
  const spinner = createSpinner(schedule);
  const files = createFileSource(options.directory, (found) => {
    state = { ...state, files: found };
    schedule();
  });
  let state = initialScreenState;
  let scheduled: NodeJS.Timeout | undefined;
  let waking: NodeJS.Timeout | undefined;
  let holding: NodeJS.Timeout | undefined;
  let staying: NodeJS.Timeout | undefined;
  let choosing: NodeJS.Timeout | undefined;
  /** Resolves when the last mode that was chosen is set: a prompt that follows it acts in it. */
  let settingMode: Promise<void> | undefined;
  let sentMode: string | undefined;
  let drawnAt = 0;
  let pager: Pager | undefined;
  /** Prompts that were asked back: once is enough. */
  const withdrawn = new Set<string>();
  /** Whether the terminal is lent to another program, or the screen is closed. */
  let isAway = false;
  let isStalled = false;
  let leave: (exitCode: number) => void = () => {};
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });

  // Listed only where a menu may need them: this is asked with every key and every frame.
  const commands = () =>
    state.edit.text.startsWith("/") ? [...session.commands(), ...screenCommands] : [];
  const isTmux = Boolean(options.environment.TMUX);
  const sizeWatch = createSizeWatch(stdout, { isTmux, onQuiet: redraw });

  function observe(): void {
    feed.observe();
    spinner.turn(feed.isBusy);
    state = withQuestion(state, openQuestions(session.view())[0]);
    schedule();
  }

  function schedule(): void {
    scheduled ??= setTimeout(draw, Math.max(0, drawnAt + frameMs - performance.now()));
  }

  function draw(): void {
    clearTimeout(scheduled);
    scheduled = undefined;
    // Asked first: a change that Node has not heard of is announced now, and watched.
    const size = currentTerminalSize(stdout);
    if (isAway || pager !== undefined || sizeWatch.isChanging()) return;
    // A terminal that does not read is drawn on when it does again: by then all is one frame.
    if (stdout.writableNeedDrain) {
      if (!isStalled) stdout.once("drain", onDrain);
      isStalled = true;
      return;
    }
    drawnAt = performance.now();
    const lines = feed.linesToPrint(Math.max(10, size.columns));
    const frame = buildFrame({
      now: drawnAt,
      view: session.view(),
      transcript: feed.transcript,
      state,
      status: session.status(),
      menu: state.dialog?.hasFocus === true ? undefined : menuOf(state, commands()),
      size,
      hasFiles: options.directory !== undefined,
      canWithdraw: session.withdraw !== undefined,
      spinner: spinner.picture,
      busyMs: feed.clock.busyMs(),
      isOwn: (origin) => session.isOwn(origin),
      durationMs: (toolCallId) => feed.clock.durationMs(toolCallId),
    });
    const isDrawn = canvas.draw({
      size,
      frame: <App frame={frame} paint={paint} />,
      ...(lines.length > 0 && { printed: <Lines lines={lines} paint={paint} /> }),
    });
    if (!isDrawn) {
      sizeWatch.change();
      return;
    }
    sizeWatch.drew(size);
    feed.markPrinted();
    state = withShownQuestion(state, frame.sight, performance.now());
    wakeWhenAnswerable();
  }

  /** Draws again when the question that is shown may be answered. */
  function wakeWhenAnswerable(): void {
    clearTimeout(waking);
    const { dialog } = state;
    if (dialog?.readyAt === undefined || isAnswerable(dialog, drawnAt)) return;
    waking = setTimeout(draw, Math.max(0, Math.ceil(dialog.readyAt - performance.now())));
  }

  function onResize(): void {
    pager?.redraw();
    sizeWatch.change();
  }

  function onDrain(): void {
    isStalled = false;
    draw();
  }

  /** Takes the frame off the screen; what was printed stays printed. */
  function erase(): void {
    sizeWatch.accept();
    canvas.erase();
  }

  function redraw(): void {
    sizeWatch.accept();
    if (isAway || pager !== undefined) return;
    canvas.invalidate();
    draw();
  }

  function onKeys(keys: readonly Key[]): void {
    const waiting = [...keys];
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      // Asked for every key: one before it may have opened the pager, or closed it.
      if (pager !== undefined) {
        const [first, rest] = splitKey(key);
        if (rest !== undefined) waiting.unshift(rest);
        pager.onKey(first);
        continue;
      }
      const { state: next, effect } = reduceKey(state, key, {
        question: openQuestions(session.view())[0],
        isBusy: feed.isBusy,
        hasEnded: session.status().hasEnded === true,
        mode: session.status().mode,
        commands: commands(),
        queued: lastQueued(),
        prompts: prompts.prompts,
        width: promptWidth(terminalSize(stdout).columns),
        now: performance.now(),
      });
      state = next;
      // Any other key means that the mode is chosen, and what that key sends comes after it.
      if (!isKey(key, "shift-tab")) settleMode();
      if (effect !== undefined) perform(effect);
    }
    if (findMention(state.edit) !== undefined) files.refresh();
    draw();
    clearTimeout(holding);
    clearTimeout(staying);
    if (state.isLeaving || state.hasCancelled) staying = setTimeout(stay, leavingMs);
    clearTimeout(choosing);
    if (state.chosenMode !== undefined) choosing = setTimeout(settleMode, chosenModeMs);
    const isHeld = state.dialog?.heldKey !== undefined;
    if (isHeld) holding = setTimeout(settleKey, heldKeyMs);
    session.holdAnswer?.(isHeld ? state.dialog?.toolCallId : undefined);
  }

  function stay(): void {
    state = withoutLeaving(state);
    draw();
  }

  function settleMode(): void {
    const { chosenMode: mode } = state;
    clearTimeout(choosing);
    if (mode === undefined || mode === sentMode) return;
    sentMode = mode;
    perform({ type: "set-mode", mode });
  }

  function settleKey(): void {
    const { state: next, effect } = settleHeldKey(state, openQuestions(session.view())[0]);
    state = next;
    if (effect !== undefined) perform(effect);
    session.holdAnswer?.(undefined);
    draw();
  }

  function perform(effect: Effect): void {
    if (effect.type === "withdraw") {
      const { messageId } = effect.prompt;
      if (withdrawn.has(messageId)) return;
      withdrawn.add(messageId);
    }
    const begin = () => performEffect(effect, scope);
    // What is sent after a mode was chosen acts in that mode.
    const isSent = effect.type === "submit" || effect.type === "set-mode";
    const done = isSent && settingMode !== undefined ? settingMode.then(begin) : begin();
    const settled = done.catch((reason: unknown) => {
      complain(reason);
      // What could not be sent is not lost.
      if (effect.type === "submit") putBack(effect.text);
    });
    if (effect.type === "set-mode") settingMode = settled.then(() => forgetMode(effect.mode));
  }

  function forgetMode(mode: string): void {
    if (state.chosenMode === mode) state = withoutChosenMode(state);
    if (sentMode === mode) sentMode = undefined;
    schedule();
  }

  function putBack(text: string): void {
    const { text: written } = state.edit;
    state = withText(state, textAtEnd(written === "" ? text : `${text}\n${written}`));
    schedule();
  }

  /** The last prompt of this screen that waits, where it can be taken back. */
  function lastQueued(): QueuedPrompt | undefined {
    if (session.withdraw === undefined) return undefined;
    return session
      .view()
      .queue.findLast(({ origin }) => origin !== undefined && session.isOwn(origin));
  }

  function say(text: string, kind: "note" | "error"): void {
    feed.say(text, kind);
    schedule();
  }

  function complain(reason: unknown): void {
    say(reason instanceof Error ? reason.message : String(reason), "error");
  }

  function onHangUp(): void {
    leave(129);
  }

  function goAway(): void {
    isAway = true;
    erase();
    input.pause();
  }

  function comeBack(): void {
    isAway = false;
    input.resume();
    draw();
  }

  const scope: EffectScope = {
    ...options,
    say,
    redraw,
    putBack,
    reopenQuestion(toolCallId) {
      state = withRefusedAnswer(state, toolCallId);
      schedule();
    },
    leave: (exitCode) => leave(exitCode),
    async lend(work) {
      goAway();
      return await work().finally(comeBack);
    },
    async openPager() {
      draw();
      await new Promise<void>((resolve) => {
        const onClose = () => {
          pager = undefined;
          redraw();
          resolve();
        };
        pager = openPager({ session, ends: () => feed.ends, stdout, paint, onClose });
      });
    },
    suspend() {
      goAway();
      // Where nobody could continue it, a process is not stopped: then it comes back by itself.
      const waking = setTimeout(wake, wakeMs);
      process.once("SIGCONT", wake);
      function wake(): void {
        clearTimeout(waking);
        process.off("SIGCONT", wake);
        comeBack();
      }
      process.kill(process.pid, "SIGTSTP");
    },
  };

  const stopListening = session.onChange(observe);
  const input = openKeyInput({ stdin, stdout }, { onKeys, onEnd: onHangUp });
  const onSignal = () => leave(options.leaving.exitCode ?? 1);
  stdout.on("resize", onResize);
  options.leaving.signal.addEventListener("abort", onSignal);
  if (options.leaving.signal.aborted) onSignal();
  for (const text of options.greeting) feed.say(text, "note");
  observe();
  draw();
  try {
    return await left;
  } finally {
    stopListening();
    spinner.turn(false);
    files.close();
    stdout.off("resize", onResize);
    // What has settled is printed, whatever the window does.
    if (pager === undefined && !isAway && sizeWatch.isChanging()) erase();
    options.leaving.signal.removeEventListener("abort", onSignal);
    pager?.close();
    // What has settled stays; what was going on goes.
    draw();
    clearTimeout(waking);
    clearTimeout(holding);
    clearTimeout(staying);
    clearTimeout(choosing);
    session.holdAnswer?.(undefined);
    isAway = true;
    canvas.erase();
    input.close();
  }
}
