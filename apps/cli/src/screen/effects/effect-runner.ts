import type { Effect } from "../state/effect.js";
import { type EffectScope, performEffect } from "./perform-effect.js";

/** Options of {@link createEffectRunner}. */
export interface EffectRunnerOptions {
  readonly scope: EffectScope;
  /** Called after each attempt to set a mode, even if the attempt failed. */
  onModeSet(mode: string): void;
}

/** Creates a function that starts effects and shows their errors to the person. */
export function createEffectRunner({
  scope,
  onModeSet,
}: EffectRunnerOptions): (effect: Effect) => void {
  /**
   * Resolves after the last attempt to set a mode. Prompts that are sent later wait for this promise, so that
   * they run in the new mode.
   */
  let settingMode: Promise<void> | undefined;

  return (effect) => {
    const begin = () => performEffect(effect, scope);
    const isSent = effect.type === "submit" || effect.type === "set-mode";
    const done = isSent && settingMode !== undefined ? settingMode.then(begin) : begin();
    const settled = done.catch((reason: unknown) => {
      scope.showNotice(reason instanceof Error ? reason.message : String(reason), "error");
      // A text that could not be sent returns to the input field.
      if (effect.type === "submit") scope.putBack(effect.text);
    });
    if (effect.type === "set-mode") settingMode = settled.then(() => onModeSet(effect.mode));
  };
}
