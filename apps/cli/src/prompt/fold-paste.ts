/** Long pasted texts. The input field shows a label for each of them. */
export type Pastes = readonly string[];

const MAX_SHOWN_LENGTH = 1000;
const MAX_SHOWN_LINES = 8;

/** Result of {@link foldPaste}: the text to show in the input field, and all long pastes. */
export interface FoldedPaste {
  readonly shown: string;
  readonly pastes: Pastes;
}

/** Replaces a long paste by a label, so that the input field stays short and quick to edit. Pure. */
export function foldPaste(pastes: Pastes, text: string): FoldedPaste {
  const lines = text.split("\n").length;
  if (text.length <= MAX_SHOWN_LENGTH && lines <= MAX_SHOWN_LINES) return { shown: text, pastes };
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  return { shown: `[paste ${pastes.length + 1}: ${size}]`, pastes: [...pastes, text] };
}

/** Returns the length of the paste label at the end of a text; 0 if there is no label. Pure. */
export function pasteLabelLength(text: string, pastes: Pastes): number {
  const [label = "", number] = /\[paste (\d+): \d+ (?:lines|characters)\]$/.exec(text) ?? [];
  return pastes[Number(number) - 1] === undefined ? 0 : label.length;
}

/** Replaces each label by its paste. A label that was edited stays as text. Pure. */
export function unfoldPastes(text: string, pastes: Pastes): string {
  return text.replace(/\[paste (\d+): \d+ (?:lines|characters)\]/g, (label, number) => {
    return pastes[Number(number) - 1] ?? label;
  });
}
