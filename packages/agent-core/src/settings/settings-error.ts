/** One thing that is wrong with a settings file, a variable or a flag, and where. */
export interface SettingsFault {
  /** The file, or what else the value came from, e.g. `DT_MODE`. */
  readonly file: string;
  /** Counted from 1; undefined where the source has no lines. */
  readonly line?: number;
  readonly column?: number;
  /** The key, e.g. `mcpServers.github.url`; empty for the file as a whole. */
  readonly key: string;
  readonly problem: string;
}

/** Why settings cannot be used, for the person who wrote them. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  /** Never empty. */
  readonly faults: readonly SettingsFault[];

  constructor(faults: readonly SettingsFault[], options?: ErrorOptions) {
    super(faults.map(describeFault).join("\n"), options);
    this.faults = faults;
  }
}

/** A fault as one line, in the form that editors and terminals turn into a link. */
export function describeFault({ file, line, column, key, problem }: SettingsFault): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return key === "" ? `${place}: ${problem}` : `${place}: ${key} ${problem}`;
}
