import { Box, Text } from "ink";
import type { Paint } from "../text/paint-line.js";
import type { Line } from "../text/span.js";
import type { Frame } from "./lines/build-frame.js";

/** Properties of {@link App}. */
export interface AppProps {
  readonly frame: Frame;
  readonly paint: Paint;
}

/** The frame: the part of the screen below the printed lines. */
export function App({ frame, paint }: AppProps) {
  return (
    <Box flexDirection="column">
      <Lines lines={frame.activity} paint={paint} />
      <Lines lines={frame.dialog} paint={paint} />
      <Lines lines={frame.queue} paint={paint} />
      <Lines lines={frame.prompt} paint={paint} />
      <Lines lines={frame.menu} paint={paint} />
      <Lines lines={frame.status} paint={paint} />
    </Box>
  );
}

/** Properties of {@link Lines}. */
export interface LinesProps {
  readonly lines: readonly Line[];
  readonly paint: Paint;
}

/** Draws lines that are already laid out. */
export function Lines({ lines, paint }: LinesProps) {
  if (lines.length === 0) return null;
  // Ink gives an empty line no height, so an empty line is drawn as a space.
  const text = lines.map((each) => paint(each) || " ").join("\n");
  return <Text>{text}</Text>;
}
