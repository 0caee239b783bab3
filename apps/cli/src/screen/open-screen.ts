import { openQuestions } from "@dt/schema";
import type { Notices } from "../endpoint/notices.js";
import { openPager } from "../pager/open-pager.js";
import type { PromptHistory } from "../prompt/prompt-history.js";
import type { ScreenSession } from "../session/screen-session.js";
import { type KeyInput, openKeyInput } from "../terminal/key-input.js";
import { terminalSize } from "../terminal/terminal-size.js";
import { createPaint } from "../text/paint-line.js";
import type { CliEnvironment } from "../variables.js";
import { composeKeyContext, composeScreen } from "./compose-screen.js";
import { createEffectRunner } from "./effects/effect-runner.js";
import { createEffectScope } from "./effects/effect-scope.js";
import { createFileSource, type FileSource } from "./file-source.js";
import { createScreenKeys, type ScreenKeys } from "./keys/screen-keys.js";
import { createSpinner, type Spinner } from "./lines/spinner.js";
import { createScreenPainter, type ScreenPainter } from "./screen-painter.js";
import { createScreenTerminal, type ScreenTerminal } from "./screen-terminal.js";
import { createSessionFeed, type SessionFeed } from "./session-feed.js";
import type { HostCommand, HostReply } from "./state/host-command.js";
import { createScreenModel, type ScreenModel } from "./state/screen-model.js";
import { isAnswerable } from "./state/screen-state.js";

/** Options of {@link openScreen}. */
export interface ScreenOptions {
  readonly session: ScreenSession;
  readonly prompts: PromptHistory;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColour: boolean;
  readonly environment: CliEnvironment;
  /** Directory whose files prompts may mention; undefined if the agent runs in another process. */
  readonly directory: string | undefined;
  /** Lines that are printed first. */
  readonly greeting: readonly string[];
  /** Commands that this process performs itself. Default: none. */
  readonly hostCommands?: readonly HostCommand[];
  /** The reply to an option such as `--share`, which the screen shows first. */
  readonly firstReply?: HostReply | undefined;
  /** Texts that appear while the screen is open. Default: none. */
  readonly notices?: Pick<Notices, "subscribe">;
  /** Monotonic clock in milliseconds. */
  now(): number;
}

/** Exit code of a process whose terminal was closed. */
const HANG_UP_EXIT_CODE = 129;

/** The objects that an open screen consists of. */
interface ScreenAssembly {
  readonly feed: SessionFeed;
  readonly model: ScreenModel;
  readonly terminal: ScreenTerminal;
  readonly painter: ScreenPainter;
  readonly spinner: Spinner;
  readonly files: FileSource;
  readonly keys: ScreenKeys;
  readonly input: KeyInput;
}

/** Draws a session and handles keys until the screen is closed; calls `leave` when the person leaves. */
export function openScreen(
  options: ScreenOptions,
  leave: (exitCode: number) => void,
): { close(): void } {
  const { session, stdout } = options;
  const { feed, model, terminal, painter, spinner, files, keys, input } = assembleScreen(
    options,
    leave,
  );

  function onSessionChange(): void {
    feed.observe();
    spinner.setSpinning(feed.isBusy);
    const [question] = openQuestions(session.state().view);
    model.advance({ type: "session-changed", question });
    painter.schedule();
  }

  function onResize(): void {
    terminal.pager?.redraw();
    painter.resize();
  }

  const stopListening = session.onChange(onSessionChange);
  stdout.on("resize", onResize);
  for (const text of options.greeting) feed.addNotice(text, "note");
  const { firstReply, notices } = options;
  if (firstReply !== undefined) {
    feed.addPicture(firstReply.picture ?? []);
    feed.addNotice(firstReply.text, "note");
  }
  const unsubscribe = notices?.subscribe((text) => {
    feed.addNotice(text, "note");
    painter.schedule();
  });
  onSessionChange();
  painter.draw();
  return {
    close() {
      stopListening();
      unsubscribe?.();
      spinner.setSpinning(false);
      files.close();
      stdout.off("resize", onResize);
      painter.prepareLastDraw();
      terminal.pager?.close();
      // The last draw prints the settled items; closing the painter then removes the frame.
      painter.draw();
      keys.close();
      painter.close();
      input.close();
    },
  };
}

/** Creates the objects of a screen, connects them and starts to read keys. */
function assembleScreen(options: ScreenOptions, leave: (exitCode: number) => void): ScreenAssembly {
  const { session, stdin, stdout, prompts, directory, hostCommands = [], now } = options;
  const paint = createPaint(options);
  const feed = createSessionFeed(session, now);
  const model: ScreenModel = createScreenModel((effect) => perform(effect));
  const terminal: ScreenTerminal = createScreenTerminal({
    hide() {
      painter.erase();
      input.pause();
    },
    show() {
      input.resume();
      painter.draw();
    },
    redraw: () => painter.redraw(),
    openPager: (onClose) => openPager({ session, ends: () => feed.ends, stdout, paint, onClose }),
  });
  const painter: ScreenPainter = createScreenPainter({
    stdout,
    paint,
    isTmux: Boolean(options.environment.TMUX),
    now,
    isHidden: terminal.isHidden,
    compose(size, at) {
      const parts = { session, hostCommands, feed, state: model.state, size, now: at };
      const hasFiles = directory !== undefined;
      return composeScreen(parts, { spinner: spinner.picture, hasFiles });
    },
    onDrawn({ visibility }, drawnAt) {
      feed.markPrinted();
      model.advance({ type: "drawn", visibility, now: now() });
      const { dialog } = model.state;
      // No option is highlighted during the grace period. A draw at the end of the period highlights one.
      if (dialog?.readyAt !== undefined && !isAnswerable(dialog, drawnAt)) {
        painter.drawAt(dialog.readyAt);
      }
    },
  });
  const spinner = createSpinner(painter.schedule);
  const files = createFileSource(directory, now, (found) => {
    model.advance({ type: "files-listed", files: found });
    painter.schedule();
  });
  const perform = createEffectRunner({
    scope: createEffectScope({ ...options, hostCommands, feed, model, painter, terminal, leave }),
    onModeSet(mode) {
      model.advance({ type: "mode-set", mode });
      painter.schedule();
    },
  });
  const keys = createScreenKeys({
    session,
    model,
    terminal,
    files,
    context() {
      const { state } = model;
      const parts = { session, hostCommands, feed, state, size: terminalSize(stdout), now: now() };
      return composeKeyContext(parts, prompts.prompts);
    },
    draw: painter.draw,
  });
  const onEnd = () => leave(HANG_UP_EXIT_CODE);
  const input: KeyInput = openKeyInput({ stdin, stdout }, { onKeys: keys.handle, onEnd });
  return { feed, model, terminal, painter, spinner, files, keys, input };
}
