import { isTerminalStatus, type TaskView, type ViewItem } from "@dt/schema";

/** Maximum number of characters of a description; its beginning is left out. */
const MAX_LENGTH = 4_000;

/** Describes what a called agent has done in its turn: text, thoughts and tool calls, the newest last. */
export function describeProgress({ items }: TaskView): string {
  const lines: string[] = [];
  let length = 0;
  for (const item of items.toReversed()) {
    if (item.event.kind === "USER_PROMPT" || length >= MAX_LENGTH) break;
    const line = describeItem(item).slice(-MAX_LENGTH);
    if (line === "") continue;
    lines.unshift(line);
    length += line.length + 1;
  }
  return lines.join("\n").slice(-MAX_LENGTH);
}

function describeItem({ event }: ViewItem): string {
  switch (event.kind) {
    case "TEXT_CONTENT":
      return event.text;
    case "THOUGHT":
      return event.thought.subject;
    case "TOOL_CALL_UPDATE": {
      const { toolName, description = toolName, status, liveContent = "" } = event.toolCall;
      const live = isTerminalStatus(status) || liveContent === "" ? "" : `\n${liveContent}`;
      return `${description}: ${status.toLowerCase()}${live}`;
    }
    default:
      return "";
  }
}
