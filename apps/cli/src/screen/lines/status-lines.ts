import { type FaceStatus, showControlOnLine, type TaskView, type Usage } from "@dt/schema";
import { cutLine } from "../../text/cut-line.js";
import { type Colour, type Line, line, plainText, type Span, span } from "../../text/span.js";
import { cutToWidth, textWidth } from "../../text/text-width.js";

const SEPARATOR = " · ";

/** Colours of the modes. A colour is only a hint, because the status bar also shows the name of the mode. */
const MODE_COLOURS: Readonly<Record<string, Colour>> = {
  "auto-edit": "yellow",
  plan: "cyan",
  yolo: "red",
};
const MAX_LINES = 2;

/** Lays out the status bar on one line or two; a notice replaces the whole status bar. Pure. */
export function statusLines(
  status: FaceStatus,
  view: Pick<TaskView, "usage" | "queue" | "model">,
  options: {
    readonly width: number;
    readonly notice: string;
    /** The mode that the person is choosing with Shift-Tab. */
    readonly chosenMode?: string | undefined;
  },
): readonly Line[] {
  const { width, notice } = options;
  if (notice !== "")
    return [line(cutToWidth(showControlOnLine(notice), width), { colour: "yellow" })];
  const { trouble, endpoint, clients, mode } = status;
  const { chosenMode } = options;
  const fields = [
    ...(trouble === undefined ? [] : [dim(trouble)]),
    dim(view.model || status.model),
    ...(chosenMode === undefined ? [] : [modeField(`mode → ${chosenMode}`, chosenMode)]),
    ...(mode === undefined || chosenMode !== undefined ? [] : [modeField(`mode ${mode}`, mode)]),
    ...(status.freerStart === undefined
      ? []
      : [modeField(`clients: ${status.freerStart}`, status.freerStart)]),
    ...(status.freerClients ?? []).map((client) =>
      modeField(`client "${client.name}": ${client.mode}`, client.mode),
    ),
    ...(view.usage === undefined ? [] : [dim(formatUsage(view.usage))]),
    ...(view.queue.length === 0 ? [] : [dim(`${view.queue.length} queued`)]),
    ...(endpoint === undefined ? [] : [dim(`A2A ${endpoint}${formatClients(clients)}`)]),
  ].filter(({ text }) => text !== "");
  return fill(fields, width);
}

function dim(text: string): Span {
  return span(showControlOnLine(text), { isDim: true });
}

/** Creates a field of the status bar in the colour of a mode. The default mode is dim. */
function modeField(text: string, mode: string): Span {
  const colour = Object.hasOwn(MODE_COLOURS, mode) ? MODE_COLOURS[mode] : undefined;
  return colour === undefined ? dim(text) : span(showControlOnLine(text), { colour });
}

/** Formats the number of clients; returns an empty text if the number is unknown. */
function formatClients(clients: number | undefined): string {
  if (clients === undefined) return "";
  return clients === 1 ? " 1 client" : ` ${clients} clients`;
}

/** Puts the fields of the status bar on one line or two, and cuts a line that is too long. */
function fill(fields: readonly Span[], width: number): readonly Line[] {
  const lines: Line[] = [];
  for (const field of fields) {
    const last = lines.at(-1);
    const joined = last === undefined ? [field] : [...last, dim(SEPARATOR), field];
    const fits = textWidth(plainText(joined)) <= width;
    if (last !== undefined && (fits || lines.length === MAX_LINES))
      lines[lines.length - 1] = joined;
    else lines.push([field]);
  }
  return lines.map((each) => cutLine(each, width));
}

/** Formats token counts: `1.2k in, 340 out`. */
function formatUsage({ inputTokens, outputTokens }: Usage): string {
  return `${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`;
}

function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
