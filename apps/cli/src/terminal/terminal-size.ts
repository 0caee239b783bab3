/** How large a terminal is. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How large a terminal was when Node last looked, which is a little after it changed. */
export function terminalSize({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * How large a terminal is at this moment. Asks the system, because Node hears of a change only when its
 * event loop comes round: `getWindowSize` gives what it heard last. A change is announced as `resize`.
 */
export function currentTerminalSize(stdout: NodeJS.WriteStream): TerminalSize {
  if (canRefresh(stdout)) stdout._refreshSize();
  return terminalSize(stdout);
}

/** A terminal of Node, with the method that it calls itself on SIGWINCH. */
interface RefreshableStream extends NodeJS.WriteStream {
  _refreshSize(): void;
}

function canRefresh(stdout: NodeJS.WriteStream): stdout is RefreshableStream {
  return stdout.isTTY && "_refreshSize" in stdout && typeof stdout._refreshSize === "function";
}
