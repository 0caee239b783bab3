/** Replaces the code of every marked block with the code of the file that its comment names. */
export function fillSnippets(root: string, markdown: string): string;
/** Returns a region (default: `snippet`), or the whole source if it has no such region, without indentation. */
export function codeOf(source: string, region?: string): string;
