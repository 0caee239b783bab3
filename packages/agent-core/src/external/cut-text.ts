/** Cuts a text that is longer than `maxLength` characters, and says so. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // The cut may split a character that consists of two code units.
  const head = text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
  return `${head}\n[${text.length - head.length} characters left out]`;
}
