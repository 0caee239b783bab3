import { Box, Static, Text } from "ink";
import type { Paint } from "../text/paint-line.js";
import type { Line } from "../text/span.js";
import type { Frame } from "./build-frame.js";

/** What the screen shows. */
export interface AppProps {
  readonly frame: Frame;
  readonly settled: Settled;
  readonly paint: Paint;
}

/** Lines that were printed last: they stay above the frame and are not drawn again. */
export interface Settled {
  /** Which print it is. */
  readonly batch: number;
  readonly lines: readonly Line[];
}

/** The screen: what has settled goes up once, what goes on is drawn below it. */
export function App({ frame, settled, paint }: AppProps) {
  return (
    <>
      <Print key={settled.batch} lines={settled.lines} paint={paint} />
      <Box flexDirection="column">
        <Lines lines={frame.activity} paint={paint} />
        <Lines lines={frame.dialog} paint={paint} />
        <Lines lines={frame.queue} paint={paint} />
        <Lines lines={frame.prompt} paint={paint} />
        <Lines lines={frame.menu} paint={paint} />
        <Lines lines={frame.status} paint={paint} />
      </Box>
    </>
  );
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly paint: Paint;
}

// Each print is a list of its own, so that what was printed before is neither kept nor compared.
function Print({ lines, paint }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <Static items={[lines]}>{(each) => <Lines key="print" lines={each} paint={paint} />}</Static>
  );
}

function Lines({ lines, paint }: LinesProps) {
  if (lines.length === 0) return null;
  // A line of no width would have no height either.
  const text = lines.map((each) => paint(each) || " ").join("\n");
  return <Text>{text}</Text>;
}
