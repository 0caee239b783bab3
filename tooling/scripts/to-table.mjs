/** Formats rows as a Markdown table. Pipes in cells are escaped. */
export function toTable(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows.map((row) => row.map(escapePipes))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function escapePipes(cell) {
  return cell.replaceAll("|", "\\|");
}
