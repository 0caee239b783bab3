/** An animated sign, which shows that the agent works. */
export interface Spinner {
  /** Current frame of the animation. */
  readonly picture: string;
  /** Starts or stops the animation. */
  setSpinning(isSpinning: boolean): void;
}

const PICTURES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const STEP_MS = 100;

/** Creates a spinner; `onStep` is called after each step of the animation. */
export function createSpinner(onStep: () => void): Spinner {
  let step = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    get picture() {
      return PICTURES.charAt(step % PICTURES.length);
    },
    setSpinning(isSpinning) {
      if (isSpinning === (timer !== undefined)) return;
      clearInterval(timer);
      timer = isSpinning
        ? setInterval(() => {
            step += 1;
            onStep();
          }, STEP_MS)
        : undefined;
    },
  };
}
