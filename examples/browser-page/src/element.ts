/** What an element is made with: attributes as properties, then children. */
type Properties<TName extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[TName], "dataset" | "style">
> & { readonly data?: Readonly<Record<string, string>> };

/** Makes an element. Text is only ever text: nothing that an agent says becomes markup. */
export function element<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  { data = {}, ...properties }: Properties<TName> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[TName] {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.dataset, data);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** The element of the page with an id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
