import type { PromptHistory } from "../../prompt/prompt-history.js";
import type { ScreenSession } from "../../session/screen-session.js";
import type { CliEnvironment } from "../../variables.js";
import type { ScreenPainter } from "../screen-painter.js";
import type { ScreenTerminal } from "../screen-terminal.js";
import type { SessionFeed } from "../session-feed.js";
import type { HostCommand } from "../state/host-command.js";
import type { ScreenModel } from "../state/screen-model.js";
import type { EffectScope } from "./perform-effect.js";
import { createPromptSender } from "./prompt-sender.js";

/** The objects of a screen that effects use or change. */
export interface EffectScopeParts {
  readonly session: ScreenSession;
  readonly prompts: PromptHistory;
  readonly environment: CliEnvironment;
  readonly directory: string | undefined;
  readonly hostCommands: readonly HostCommand[];
  readonly feed: Pick<SessionFeed, "addNotice" | "addPicture">;
  readonly model: ScreenModel;
  readonly painter: Pick<ScreenPainter, "schedule" | "draw" | "redraw">;
  readonly terminal: ScreenTerminal;
  leave(exitCode: number): void;
}

/** Creates the functions that the effects of a screen use. */
export function createEffectScope(parts: EffectScopeParts): EffectScope {
  const { session, prompts, environment, feed, model, painter, terminal } = parts;
  return {
    session,
    prompts,
    environment,
    hostCommands: parts.hostCommands,
    sendPrompt: createPromptSender(session.face, parts.directory),
    showNotice(text, kind) {
      feed.addNotice(text, kind);
      painter.schedule();
    },
    showPicture(rows) {
      feed.addPicture(rows);
      painter.schedule();
    },
    lend: terminal.lend,
    reopenQuestion(toolCallId) {
      model.advance({ type: "answer-refused", toolCallId });
      painter.schedule();
    },
    putBack(text) {
      model.advance({ type: "put-back", text });
      painter.schedule();
    },
    async openPager() {
      painter.draw();
      await terminal.openPager();
    },
    suspend: terminal.suspend,
    redraw: painter.redraw,
    leave: parts.leave,
  };
}
