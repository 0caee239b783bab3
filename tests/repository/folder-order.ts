/** An import from one entry of a package's `src` to another; an entry is a folder, or a file beside them. */
export interface FolderImport {
  readonly from: string;
  readonly to: string;
  /** The file that has the import. */
  readonly file: string;
}

/**
 * The entries of `src` in the order that a README states: the names in backticks after "Folders in import
 * order:" or "Files in import order:", up to the next blank line. Names that are no entries are remarks.
 */
export function statedOrder(readme: string, entries: readonly string[]): string[] {
  const [, after] = readme.split(/(?:Folders|Files) in import order:\s*/);
  const [block = ""] = (after ?? "").split(/\n\s*\n/);
  const names = [...block.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  return [...new Set(names.filter((name) => entries.includes(name)))];
}

/** The imports that lead to an entry that is not stated before the importing one. */
export function findBackward(
  imports: readonly FolderImport[],
  order: readonly string[],
): FolderImport[] {
  return imports.filter(({ from, to }) => {
    if (from === to || !order.includes(from)) return false;
    return !order.slice(0, order.indexOf(from)).includes(to);
  });
}
