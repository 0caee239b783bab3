import { openQuestions, type QueuedPrompt, type SlashCommand } from "@dt/schema";
import type { ScreenSession } from "../session/screen-session.js";
import type { TerminalSize } from "../terminal/terminal-size.js";
import { buildFrame } from "./lines/build-frame.js";
import { promptWidth } from "./lines/prompt-lines.js";
import type { ScreenContent } from "./screen-painter.js";
import type { SessionFeed } from "./session-feed.js";
import type { HostCommand } from "./state/host-command.js";
import { SCREEN_COMMANDS } from "./state/screen-commands.js";
import { type KeyContext, menuOf, type ScreenState } from "./state/screen-state.js";

/** The objects and values that the content of a screen depends on. */
export interface ScreenParts {
  readonly session: ScreenSession;
  /** Commands that this process performs itself. */
  readonly hostCommands: readonly HostCommand[];
  readonly feed: SessionFeed;
  readonly state: ScreenState;
  readonly size: TerminalSize;
  /** Current time of a monotonic clock, in milliseconds. */
  readonly now: number;
}

/** Composes the lines to print and the frame below them. */
export function composeScreen(
  { session, hostCommands, feed, state, size, now }: ScreenParts,
  { spinner, hasFiles }: { readonly spinner: string; readonly hasFiles: boolean },
): ScreenContent {
  const printed = feed.linesToPrint(Math.max(10, size.columns));
  const { view, status } = session.state();
  const hasMenu = state.dialog?.hasFocus !== true;
  const frame = buildFrame({
    now,
    view,
    transcript: feed.transcript,
    state,
    status,
    menu: hasMenu ? menuOf(state, menuCommands(state, session, hostCommands)) : undefined,
    size,
    hasFiles,
    canWithdraw: session.face.traits.canWithdraw,
    spinner,
    busyMs: feed.clock.busyMs(),
    isOwn: session.isOwn,
    durationMs: (toolCallId) => feed.clock.durationMs(toolCallId),
  });
  return { printed, frame };
}

/** Collects the values that the effect of a key depends on. */
export function composeKeyContext(
  { session, hostCommands, feed, state, size, now }: ScreenParts,
  prompts: readonly string[],
): KeyContext {
  const { view, status } = session.state();
  return {
    question: openQuestions(view)[0],
    isBusy: feed.isBusy,
    hasEnded: status.hasEnded === true,
    mode: status.mode,
    commands: menuCommands(state, session, hostCommands),
    queued: findLastQueued(session),
    prompts,
    width: promptWidth(size.columns),
    now,
  };
}

/** Lists the commands only if the menu may need them, because this function runs for every key and frame. */
function menuCommands(
  { edit }: ScreenState,
  session: ScreenSession,
  hosts: readonly HostCommand[],
): readonly SlashCommand[] {
  if (!edit.text.startsWith("/")) return [];
  const { commands } = session.state();
  const own = hosts.map(({ command }) => command);
  // If the agent has a command of the same name, the menu shows the agent's command, with its sub-commands.
  const added = own.filter(({ name }) => commands.every((command) => command.name !== name));
  return [...commands, ...added, ...SCREEN_COMMANDS];
}

/**
 * Finds the last queued prompt of this screen. Returns undefined if there is none, or if the face cannot
 * withdraw prompts.
 */
function findLastQueued({ face, state, isOwn }: ScreenSession): QueuedPrompt | undefined {
  if (!face.traits.canWithdraw) return undefined;
  return state().view.queue.findLast(({ origin }) => origin !== undefined && isOwn(origin));
}
