export interface ParsedFile {
  readonly file: string;
  readonly text: string;
  readonly tree: unknown;
}

export interface Comment {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface NamedInFile {
  readonly file: string;
  readonly name: string;
}

export interface RepositoryTexts {
  readonly files: readonly string[];
  readonly documents: ReadonlyMap<string, string>;
  readonly comments: readonly Comment[];
  readonly requirements: ReadonlySet<string>;
}

export interface DanglingReference {
  readonly file: string;
  readonly line: number;
  readonly reference: string;
}

export const MAX_TEST_NAME: number;
export function parseTexts(texts: ReadonlyMap<string, string>): readonly ParsedFile[];
export function readRepository(
  root: string,
): RepositoryTexts & { readonly sources: readonly ParsedFile[] };
export function isImportable(source: ParsedFile): boolean;
export function isTestFile(file: string): boolean;
export function commentsOf(source: ParsedFile): readonly Comment[];
export function isRiddle(comment: Comment): boolean;
export function findDuplicateExports(
  sources: readonly ParsedFile[],
): readonly { readonly name: string; readonly files: readonly string[] }[];
export function findDangling(repository: RepositoryTexts): readonly DanglingReference[];
export function findMisnamedConstants(source: ParsedFile): readonly NamedInFile[];
export function testNamesOf(source: ParsedFile): readonly NamedInFile[];
export function linksIn(markdown: string): string[];
export function anchorsIn(markdown: string): string[];
export function resolveLink(
  document: string,
  target: string,
): { readonly file: string; readonly anchor?: string };
