const MAX_DEPTH = 64;

/**
 * Whether a YAML text seems to be nested deeper than any settings are. The parser calls itself for each
 * level, and a file of a few kilobytes of `- - - -` would end the program. Counts indentation, the dashes
 * and question marks before an entry, and brackets, also those in strings; walks the text once.
 */
export function isYamlNestedDeep(text: string): boolean {
  const indents: number[] = [];
  let brackets = 0;
  for (const line of text.split("\n")) {
    const { indent, entries } = startOf(line);
    if (indent === line.length) continue;
    while ((indents.at(-1) ?? -1) >= indent) indents.pop();
    indents.push(indent);
    for (let at = indent; at < line.length; at += 1) {
      if ("[{".includes(line[at] ?? "")) brackets += 1;
      else if ("]}".includes(line[at] ?? "")) brackets = Math.max(0, brackets - 1);
      if (indents.length + entries + brackets > MAX_DEPTH) return true;
    }
  }
  return false;
}

/** Where a line begins, and how many entries begin on it: `- - ? a` has three. */
function startOf(line: string): { readonly indent: number; readonly entries: number } {
  let indent = 0;
  while (line[indent] === " " || line[indent] === "\t") indent += 1;
  let entries = 0;
  for (let at = indent; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if ("-?:".includes(char)) entries += 1;
    else if (char !== " " && char !== "\t") break;
  }
  return { indent, entries };
}
