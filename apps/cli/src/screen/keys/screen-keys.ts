import { openQuestions } from "@dt/schema";
import { type Key, splitKey } from "../../keys/decode-keys.js";
import { findMention } from "../../prompt/complete-file.js";
import type { ScreenSession } from "../../session/screen-session.js";
import type { FileSource } from "../file-source.js";
import type { ScreenTerminal } from "../screen-terminal.js";
import type { ScreenModel } from "../state/screen-model.js";
import { type KeyContext, type KeyTimeouts, timeoutsOf } from "../state/screen-state.js";
import { createKeyTimers } from "./key-timers.js";

/** Passes keys to the screen model or to the pager, and runs the timeouts that start with a key. */
export interface ScreenKeys {
  handle(keys: readonly Key[]): void;
  close(): void;
}

/** Options of {@link createScreenKeys}. */
export interface ScreenKeysOptions {
  readonly session: ScreenSession;
  readonly model: ScreenModel;
  readonly terminal: Pick<ScreenTerminal, "pager">;
  readonly files: Pick<FileSource, "refresh">;
  /** Returns the values that the effect of the next key depends on. */
  context(): KeyContext;
  draw(): void;
}

/** Creates the handler of keys; no timeout runs yet. */
export function createScreenKeys(options: ScreenKeysOptions): ScreenKeys {
  const { session, model, terminal, files, draw } = options;
  const timers = createKeyTimers(onTimeout);

  /**
   * Makes other clients' answers to a question wait while a pressed key may answer the question. Call it with
   * undefined when the key can no longer answer; the waiting answers then continue.
   */
  function holdAnswer(toolCallId: string | undefined): void {
    const held = toolCallId === undefined ? {} : { toolCallId };
    void session.face.handle({ type: "hold-answer", ...held });
  }

  function onTimeout(name: keyof KeyTimeouts): void {
    switch (name) {
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
    handle(keys) {
      const waiting = [...keys];
      for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
        // The previous key may have opened or closed the pager.
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
      timers.restart(timeoutsOf(state));
      holdAnswer(state.dialog?.heldKey === undefined ? undefined : state.dialog.toolCallId);
    },
    close() {
      timers.clear();
      holdAnswer(undefined);
    },
  };
}
