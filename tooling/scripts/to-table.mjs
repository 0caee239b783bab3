/** Formats rows as a Markdown table; a pipe in a cell is escaped. */
export function toTable(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows.map((row) => row.map(escapePipes))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function escapePipes(cell) {
  return cell.replaceAll("|", "\\|");
}
