import type { HistoryItem, ToolRequest, ToolResult } from "./history.js";

/**
 * A history in which every tool request is followed by exactly one result, as vendors demand.
 *
 * A request that was cut short (a crash, a cancelled turn) gets a result that says so; a result that
 * nobody asked for is left out.
 */
export function answeredHistory(history: readonly HistoryItem[]): readonly HistoryItem[] {
  const results = new Map(
    history.flatMap((item) =>
      item.role === "tool" ? item.results.map((result) => [result.toolCallId, result]) : [],
    ),
  );
  return history.flatMap((item): readonly HistoryItem[] => {
    if (item.role === "tool") return [];
    if (item.role === "user") return [item];
    const requests = item.parts.flatMap((part) =>
      part.type === "tool-request" ? [part.request] : [],
    );
    if (requests.length === 0) return [item];
    const answers = requests.map((request) => results.get(request.toolCallId) ?? cutShort(request));
    return [item, { role: "tool", results: answers }];
  });
}

function cutShort({ toolCallId, toolName }: ToolRequest): ToolResult {
  return {
    toolCallId,
    toolName,
    text: "the call was cut short; nothing is known of it",
    isError: true,
  };
}
