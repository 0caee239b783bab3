import { Box, Text } from "ink";
import type { Paint } from "../text/paint-line.js";
import { type Line, line } from "../text/span.js";
import { cutToWidth } from "../text/text-width.js";

/** Properties of {@link PagerScreen}. */
export interface PagerScreenProps {
  readonly lines: readonly Line[];
  readonly status: string;
  readonly width: number;
  readonly height: number;
  readonly paint: Paint;
}

/** A page of the history with a status line below it. */
export function PagerScreen({ lines, status, width, height, paint }: PagerScreenProps) {
  const text = lines.map((each) => paint(each) || " ").join("\n");
  return (
    <Box flexDirection="column">
      <Box height={height} flexDirection="column">
        <Text>{text}</Text>
      </Box>
      <Text>{paint(line(cutToWidth(status, width), { isDim: true }))}</Text>
    </Box>
  );
}
