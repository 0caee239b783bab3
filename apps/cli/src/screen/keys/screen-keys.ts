import { openQuestions } from "@dt/schema";
import { type Key, splitKey } from "../../keys/decode-keys.js";
import { findMention } from "../../prompt/complete-file.js";
import type { ScreenSession } from "../../session/screen-session.js";
import type { FileSource } from "../file-source.js";
import type { ScreenTerminal } from "../screen-terminal.js";
import type { ScreenModel } from "../state/screen-model.js";
import { type KeyContext, type Waits, waitsOf } from "../state/screen-state.js";
import { createKeyWaits } from "./key-waits.js";

/** Takes keys to the model, and what waits for the next key. */
export interface ScreenKeys {
  take(keys: readonly Key[]): void;
  close(): void;
}

/** Options of {@link createScreenKeys}. */
export interface ScreenKeysOptions {
  readonly session: ScreenSession;
  readonly model: ScreenModel;
  readonly terminal: Pick<ScreenTerminal, "pager">;
  readonly files: Pick<FileSource, "refresh">;
  /** The facts that the next key may depend on. */
  context(): KeyContext;
  draw(): void;
}

/** Creates it; nothing waits yet. */
export function createScreenKeys(options: ScreenKeysOptions): ScreenKeys {
  const { session, model, terminal, files, draw } = options;
  const waits = createKeyWaits(endWait);

  /** Lets others wait while a key may answer this question. */
  function holdAnswer(toolCallId: string | undefined): void {
    const held = toolCallId === undefined ? {} : { toolCallId };
    void session.face.handle({ type: "hold-answer", ...held });
  }

  function endWait(wait: keyof Waits): void {
    switch (wait) {
      case "leaving":
        model.advance({ type: "leaving-over" });
        break;
      case "mode":
        model.advance({ type: "mode-chosen" });
        break;
      case "heldKey": {
        const [question] = openQuestions(session.state().view);
        model.advance({ type: "held-key-over", question });
        holdAnswer(undefined);
        break;
      }
    }
    draw();
  }

  return {
    take(keys) {
      const waiting = [...keys];
      for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
        // A key before this one may have opened the pager, or closed it.
        if (terminal.pager === undefined) {
          model.advance({ type: "key", key, context: options.context() });
          continue;
        }
        const [first, rest] = splitKey(key);
        if (rest !== undefined) waiting.unshift(rest);
        terminal.pager.onKey(first);
      }
      const { state } = model;
      if (findMention(state.edit) !== undefined) files.refresh();
      draw();
      waits.restart(waitsOf(state));
      holdAnswer(state.dialog?.heldKey === undefined ? undefined : state.dialog.toolCallId);
    },
    close() {
      waits.clear();
      holdAnswer(undefined);
    },
  };
}
