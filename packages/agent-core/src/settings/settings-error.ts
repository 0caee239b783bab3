/** One problem with a settings file, a variable or a flag, with its position. */
export interface SettingsFault {
  /** The file, or another source of the value, e.g. `DT_MODE`. */
  readonly file: string;
  /** Starts at 1; undefined if the source has no lines. */
  readonly line?: number;
  readonly column?: number;
  /** The key, e.g. `mcpServers.github.url`; empty for the file as a whole. */
  readonly key: string;
  readonly problem: string;
}

/** Thrown if settings are invalid. The message is for the person who wrote the settings. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  /** Contains at least one fault. */
  readonly faults: readonly SettingsFault[];

  constructor(faults: readonly SettingsFault[], options?: ErrorOptions) {
    super(faults.map(describeFault).join("\n"), options);
    this.faults = faults;
  }
}

/** Formats a fault as one line. The line starts with `file:line:column`, which editors show as a link. */
export function describeFault({ file, line, column, key, problem }: SettingsFault): string {
  const position = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return key === "" ? `${position}: ${problem}` : `${position}: ${key} ${problem}`;
}
