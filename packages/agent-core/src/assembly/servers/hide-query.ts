/** Returns an address whose query shows only the names, and whose fragment is left out. Pure. */
export function hideQuery(url: URL): string {
  const { origin, pathname, search } = url;
  const names = search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "")
    .map(hideValue);
  return `${origin}${pathname}${names.length === 0 ? "" : `?${names.join("&")}`}`;
}

// A part without `=` has no name, so the whole part may be a secret.
function hideValue(pair: string): string {
  const end = pair.indexOf("=");
  return end === -1 ? "…" : `${pair.slice(0, end)}=…`;
}
