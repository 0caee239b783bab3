import path from "node:path";
import { isBelow } from "../workspace/follow-links.js";

/** Returns a path that an external agent named, in the form for events. It follows no links. */
export function displayPath(
  file: string,
  root: string,
): { readonly absolute: string; readonly display: string } {
  const absolute = path.resolve(root, file);
  const display = isBelow(root, absolute) ? path.relative(root, absolute) || "." : absolute;
  return { absolute, display };
}
