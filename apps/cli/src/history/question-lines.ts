import type { ToolCall } from "@dt/schema";
import { showControl } from "@dt/schema";
import { diffLines } from "../text/diff-lines.js";
import { type Line, line, type Span, span } from "../text/span.js";
import { wrapLine } from "../text/wrap-line.js";

/** Lays the details of a question out as lines of a screen, without folding. Pure. */
export function questionLines(question: ToolCall, width: number): readonly Line[] {
  const details = question.confirmationRequest?.details;
  const text = (value: string, style?: Span["style"]) =>
    showControl(value)
      .split("\n")
      .flatMap((each) => wrapLine(line(each, style), { width, first: [span("  ")] }));
  switch (details?.$case) {
    case "executeDetails":
      return [
        ...text(details.value.command, { colour: "cyan" }),
        ...(details.value.workingDirectory === undefined
          ? []
          : text(`in ${details.value.workingDirectory}`, { isDim: true })),
      ];
    case "fileEditDetails":
      return [
        ...text(details.value.filePath, { isDim: true }),
        ...diffLines(details.value, width - 2).map((each) => [span("  "), ...each]),
      ];
    case "mcpDetails":
      return [
        ...text(`${details.value.toolName} of the MCP server ${details.value.serverName}`),
        ...text(JSON.stringify(question.inputParameters ?? {}, undefined, 2), { isDim: true }),
      ];
    case "genericDetails":
      return text(details.value.description);
    default:
      return text(question.description ?? "");
  }
}
