/** Replaces the code of every marked block with the code of the file that its comment names. */
export function fillSnippets(root: string, markdown: string): string;
/** Returns the named region of a source, or its region `snippet`, or all of it, without indentation. */
export function codeOf(source: string, region?: string): string;
