import type { HistoryItem, ToolRequest, ToolResult } from "./history.js";

/**
 * Returns a history in which exactly one result follows each tool request, because vendors require it. After a
 * crash or a cancel, a request may have no result. It then gets a result with the text that the call was
 * interrupted. A result without a request is left out.
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
    const answers = requests.map(
      (request) => results.get(request.toolCallId) ?? interruptedResult(request),
    );
    return [item, { role: "tool", results: answers }];
  });
}

function interruptedResult({ toolCallId, toolName }: ToolRequest): ToolResult {
  return {
    toolCallId,
    toolName,
    text: "the call was interrupted; its outcome is unknown",
    isError: true,
  };
}
