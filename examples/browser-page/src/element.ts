/** The properties that an element is created with. */
type Properties<TName extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[TName], "dataset" | "style">
> & { readonly data?: Readonly<Record<string, string>> };

/** Creates an element. Strings become text nodes, so that an agent's output never becomes markup. */
export function element<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  { data = {}, ...properties }: Properties<TName> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[TName] {
  const created = Object.assign(document.createElement(name), properties);
  Object.assign(created.dataset, data);
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** Gets an element of the page by its id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
