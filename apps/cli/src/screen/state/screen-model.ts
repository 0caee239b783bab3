import { advanceScreen, type ScreenStep } from "./advance-screen.js";
import type { Effect } from "./effect.js";
import { INITIAL_SCREEN_STATE, type ScreenState } from "./screen-state.js";

/** Stores the state of a screen and advances it. */
export interface ScreenModel {
  readonly state: ScreenState;
  advance(step: ScreenStep): void;
}

/** Creates the model of a new screen; `onEffect` gets the effects of each step, in order. */
export function createScreenModel(onEffect: (effect: Effect) => void): ScreenModel {
  let state = INITIAL_SCREEN_STATE;
  return {
    get state() {
      return state;
    },
    advance(step) {
      const move = advanceScreen(state, step);
      state = move.state;
      for (const effect of move.effects) onEffect(effect);
    },
  };
}
