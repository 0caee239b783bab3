/** Size of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the size that Node knows. After a resize, this may still be the old size. */
export function terminalSize({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Reads the current size of a terminal from the system. Node notices a resize only in its event loop, and
 * `getWindowSize` returns the size that Node knows. So this function calls an internal method of Node,
 * which reads the size and emits `resize` if it has changed.
 */
export function currentTerminalSize(stdout: NodeJS.WriteStream): TerminalSize {
  if (canRefresh(stdout)) stdout._refreshSize();
  return terminalSize(stdout);
}

/** A terminal stream of Node with the internal method that Node calls on SIGWINCH. */
interface RefreshableStream extends NodeJS.WriteStream {
  _refreshSize(): void;
}

function canRefresh(stdout: NodeJS.WriteStream): stdout is RefreshableStream {
  return stdout.isTTY && "_refreshSize" in stdout && typeof stdout._refreshSize === "function";
}
