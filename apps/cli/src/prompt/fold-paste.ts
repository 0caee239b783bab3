/** Texts that were pasted and stand in the prompt by their names. */
export type Pastes = readonly string[];

const longestShown = 1000;
const mostLinesShown = 8;

/** A paste as it stands in the prompt: as it is, or, where it is long, by a name. */
export interface FoldedPaste {
  readonly shown: string;
  readonly pastes: Pastes;
}

/** Gives a long paste a name, so that editing around it stays easy and quick. Pure. */
export function foldPaste(pastes: Pastes, text: string): FoldedPaste {
  const lines = text.split("\n").length;
  if (text.length <= longestShown && lines <= mostLinesShown) return { shown: text, pastes };
  const size = lines > 1 ? `${lines} lines` : `${text.length} letters`;
  return { shown: `[paste ${pastes.length + 1}: ${size}]`, pastes: [...pastes, text] };
}

/** How long the name of a paste is that a text ends with; 0 where it ends with something else. Pure. */
export function pasteNameAtEnd(text: string, pastes: Pastes): number {
  const [name = "", number] = /\[paste (\d+): \d+ (?:lines|letters)\]$/.exec(text) ?? [];
  return pastes[Number(number) - 1] === undefined ? 0 : name.length;
}

/** The text with every paste in the place of its name; a name that was changed is a text like any other. */
export function unfoldPastes(text: string, pastes: Pastes): string {
  return text.replace(/\[paste (\d+): \d+ (?:lines|letters)\]/g, (name, number) => {
    return pastes[Number(number) - 1] ?? name;
  });
}
