export interface Exported {
  readonly name: string;
  readonly declaredName: string;
  readonly isType: boolean;
  /** The declaring source; undefined if another package declares it. */
  readonly declaredIn: string | undefined;
}

export interface Entry {
  readonly specifier: string;
  readonly file: string;
}

export type PublicSurface = Record<
  string,
  { readonly values: readonly string[]; readonly types: readonly string[] }
>;

export const LIBRARIES: readonly string[];
export function readPublicSurface(root: string): PublicSurface;
export function entriesOf(root: string, library: string): Entry[];
export function exportsOf(file: string): Exported[];
