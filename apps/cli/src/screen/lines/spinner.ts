/** A sign that something goes on. */
export interface Spinner {
  readonly picture: string;
  /** Starts or stops it. */
  turn(isTurning: boolean): void;
}

const pictures = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const stepMs = 100;

/** A spinner that asks for a frame with each step, and for none while it stands. */
export function createSpinner(onStep: () => void): Spinner {
  let step = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    get picture() {
      return pictures.charAt(step % pictures.length);
    },
    turn(isTurning) {
      if (isTurning === (timer !== undefined)) return;
      clearInterval(timer);
      timer = isTurning
        ? setInterval(() => {
            step += 1;
            onStep();
          }, stepMs)
        : undefined;
    },
  };
}
