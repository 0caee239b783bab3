import { Box, Text } from "ink";
import type { Paint } from "../text/paint-line.js";
import type { Line } from "../text/span.js";
import type { Frame } from "./lines/build-frame.js";

/** What the screen shows. */
export interface AppProps {
  readonly frame: Frame;
  readonly paint: Paint;
}

/** The screen below what has settled. */
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

/** What {@link Lines} draws. */
export interface LinesProps {
  readonly lines: readonly Line[];
  readonly paint: Paint;
}

/** Lines that are laid out already. */
export function Lines({ lines, paint }: LinesProps) {
  if (lines.length === 0) return null;
  // A line of no width would have no height either.
  const text = lines.map((each) => paint(each) || " ").join("\n");
  return <Text>{text}</Text>;
}
