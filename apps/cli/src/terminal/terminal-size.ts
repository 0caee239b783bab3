/** How large a terminal is at this moment: Node learns of a change a little later. */
export function terminalSize(stdout: NodeJS.WriteStream): {
  readonly columns: number;
  readonly rows: number;
} {
  const [columns, rows] = asked(stdout) ?? [stdout.columns, stdout.rows];
  return { columns: columns || 80, rows: rows || 24 };
}

function asked(stdout: NodeJS.WriteStream): [columns: number, rows: number] | undefined {
  try {
    return stdout.getWindowSize();
  } catch {
    // A terminal that is gone has none.
    return undefined;
  }
}
