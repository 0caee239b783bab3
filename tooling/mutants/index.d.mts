export interface Mutant {
  readonly id: number;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly line: number;
  readonly code: string;
  readonly change: string;
}

export interface Equivalent {
  readonly file: string;
  readonly code: string;
  readonly change: string;
  readonly reason: string;
}

export interface PackageCount {
  readonly package: string;
  readonly noticed: number;
  readonly total: number;
}

export function readEquivalents(): readonly Equivalent[];
export function findStale(
  listed: readonly Equivalent[],
  mutants: readonly { readonly file: string; readonly code: string; readonly change: string }[],
): readonly Equivalent[];
export function findMutantsIn(text: string): readonly Mutant[];
export function applyMutant(text: string, mutant: Mutant): string;
export function weave(text: string, mutants: readonly Mutant[], selection: string): string;
export function takeSample<T>(
  mutants: readonly T[],
  options: {
    readonly seed: number;
    readonly count: number;
    isSkipped(mutant: T): boolean;
  },
): readonly T[];
export function countByPackage(
  outcomes: readonly {
    readonly mutant: { readonly package: string };
    readonly isNoticed: boolean;
  }[],
): readonly PackageCount[];
export function isShareReached(counts: readonly PackageCount[]): boolean;
export function formatTable(counts: readonly PackageCount[]): string;
