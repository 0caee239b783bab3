/** An import from one entry of a package's `src` to another. An entry is a folder or a file in `src`. */
export interface FolderImport {
  readonly from: string;
  readonly to: string;
  /** The importing file. */
  readonly file: string;
}

/**
 * Reads the order of a package's entries from its README: the names in backticks after "Folders in import
 * order:" or "Files in import order:", up to the next blank line. Names that are not entries are ignored.
 */
export function statedOrder(readme: string, entries: readonly string[]): string[] {
  const [, after] = readme.split(/(?:Folders|Files) in import order:\s*/);
  const [block = ""] = (after ?? "").split(/\n\s*\n/);
  const names = [...block.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  return [...new Set(names.filter((name) => entries.includes(name)))];
}

/**
 * Finds imports whose target is not listed before the importing entry. An entry that is not listed may import
 * every entry.
 */
export function findBackward(
  imports: readonly FolderImport[],
  order: readonly string[],
): FolderImport[] {
  return imports.filter(({ from, to }) => {
    if (from === to || !order.includes(from)) return false;
    return !order.slice(0, order.indexOf(from)).includes(to);
  });
}
