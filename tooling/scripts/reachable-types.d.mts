/** A name, and a file that declares or re-exports it. */
export interface Mention {
  readonly name: string;
  readonly file: string;
  /** The declaration or entry that mentions the name. */
  readonly by: string;
}

/** A declaration in one of our packages, and the declaration that mentioned it first. */
export interface Declaration extends Mention {
  /** The declaration itself, without comments. */
  readonly text: string;
  readonly key: string;
}

export function declarationsOf(root: string, specifier: string): string | undefined;
export function exportedFrom(root: string, specifier: string): Mention[];
export function findReachable(root: string, start: readonly Mention[]): Declaration[];
export function findDeclaration(root: string, mention: Mention): Declaration | undefined;
