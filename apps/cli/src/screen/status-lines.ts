import type { TaskView, Usage } from "@dt/schema";
import { showControlOnLine } from "@dt/schema";
import type { SessionStatus } from "../session/screen-session.js";
import { type Line, line } from "../text/span.js";
import { cutToWidth, textWidth } from "../text/text-width.js";

const separator = " · ";
const mostLines = 2;

/** What surrounds the conversation, on one line or two. Pure. */
export function statusLines(
  status: SessionStatus,
  view: Pick<TaskView, "usage" | "queue" | "model">,
  options: { readonly width: number; readonly notice: string },
): readonly Line[] {
  const { width, notice } = options;
  if (notice !== "")
    return [line(cutToWidth(showControlOnLine(notice), width), { colour: "yellow" })];
  const { trouble, endpoint, clients, mode } = status;
  const parts = [
    ...(trouble === undefined ? [] : [trouble]),
    view.model || status.model,
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(status.freerStart === undefined ? [] : [`clients: ${status.freerStart}`]),
    ...(status.freerClients ?? []).map((client) => `client "${client.name}": ${client.mode}`),
    ...(view.usage === undefined ? [] : [formatUsage(view.usage)]),
    ...(view.queue.length === 0 ? [] : [`${view.queue.length} queued`]),
    ...(endpoint === undefined ? [] : [`A2A ${endpoint}${countOf(clients)}`]),
  ].filter((part) => part !== "");
  return fill(parts.map(showControlOnLine), width).map((each) => line(each, { isDim: true }));
}

/** How many others watch, where this side knows. */
function countOf(clients: number | undefined): string {
  if (clients === undefined) return "";
  return clients === 1 ? " 1 client" : ` ${clients} clients`;
}

/** Parts on as few lines as they fit; what does not fit on the last is cut. */
function fill(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last}${separator}${part}`;
    const fits = textWidth(joined) <= width;
    if (last !== undefined && (fits || lines.length === mostLines))
      lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.map((each) => cutToWidth(each, width));
}

/** Tokens as people count them: `1.2k in, 340 out`. */
function formatUsage({ inputTokens, outputTokens }: Usage): string {
  return `${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`;
}

function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
