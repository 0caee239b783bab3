const MAX_DEPTH = 64;

/**
 * True if a YAML text seems to be nested deeper than any real settings are. The parser is recursive,
 * and a few kilobytes of `- - - -` would crash the program. Each of these adds a level: a deeper
 * indentation; a dash, question mark or colon at the start of a line; an open bracket, even inside a string.
 */
export function isYamlNestedDeep(text: string): boolean {
  const indents: number[] = [];
  let brackets = 0;
  for (const line of text.split("\n")) {
    const { indent, entries } = measureStart(line);
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

/**
 * Returns the indentation of a line and the number of entries that begin on the line. Three entries begin on
 * the line `- - ? a`.
 */
function measureStart(line: string): { readonly indent: number; readonly entries: number } {
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
