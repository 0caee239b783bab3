import type { Line, Span } from "./span.js";
import { cutToWidth, textWidth } from "./text-width.js";

/** Cuts a line to a width; "…" marks the cut. Pure. */
export function cutLine(spans: Line, width: number): Line {
  let room = width;
  const kept: Span[] = [];
  for (const each of spans) {
    const columns = textWidth(each.text);
    if (columns > room) return [...kept, { ...each, text: cutToWidth(each.text, room) }];
    kept.push(each);
    room -= columns;
  }
  return spans;
}
