/** Where dt was started, and what it was given there. */
export interface Place {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspacePath: string;
}
