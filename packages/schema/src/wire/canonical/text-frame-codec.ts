import type { SessionEvent } from "../../event/agent-event.js";
import type { A2aSpelling } from "../a2a/a2a.js";
import { type Activation, encodeEvent } from "./event-codec.js";

/** A piece of text that the agent said, with its header. */
export type TextEvent = SessionEvent & { readonly kind: "TEXT_CONTENT" };

/**
 * Writes the frames of text for one observer: the same bytes as encoding each as an object, which
 * most of a stream's time would go into. What one piece has in common with the next (the task, its
 * state, the model, every key) is written once and kept; the text, the time and the cursor are put in.
 */
export function createTextFrameEncoder(
  spelling: A2aSpelling,
  activation: Activation,
): (event: TextEvent) => string {
  const encode = (event: TextEvent) => {
    const update = encodeEvent(event, activation, false);
    return JSON.stringify(spelling.encodeFrame({ type: "status-update", ...update }));
  };
  let template: Template | undefined;
  return (event) => {
    if (!hasSlots(event)) return encode(event);
    if (template === undefined || !isAlike(event, template.model)) {
      template = buildTemplate(event, encode);
    }
    return template === undefined ? encode(event) : fill(template, event);
  };
}

interface Template {
  /** The event that it was made from. */
  readonly model: TextEvent;
  readonly start: string;
  /** What is put in, and what follows it. */
  readonly slots: readonly { readonly name: SlotName; readonly after: string }[];
}

type SlotName = "t" | "a" | "c";

/** Of private use, and never escaped in JSON. Stands where something is put in, before its name. */
const MARK = "\uE000";

/** Undefined where the mark stands in what is common already: then nothing tells the slots apart. */
function buildTemplate(
  model: TextEvent,
  encode: (event: TextEvent) => string,
): Template | undefined {
  if (encode({ ...model, text: "", at: "", cursor: "-" }).includes(MARK)) return undefined;
  const marked = encode({ ...model, text: `${MARK}t`, at: `${MARK}a`, cursor: `${MARK}c` });
  const [start = "", ...rest] = marked.split(MARK);
  const slots = rest.map((piece) => ({ name: piece[0] as SlotName, after: piece.slice(1) }));
  return { model, start, slots };
}

// An empty cursor is not written; usage, an error and attachments seldom come twice alike.
function hasSlots({ cursor, usage, error, attachments }: TextEvent): boolean {
  if (cursor === undefined || cursor === "") return false;
  return usage === undefined && error === undefined && attachments === undefined;
}

/** Whether two events differ in nothing but what is put in. */
function isAlike(event: TextEvent, other: TextEvent): boolean {
  return (
    event.taskId === other.taskId &&
    event.contextId === other.contextId &&
    event.state === other.state &&
    event.model === other.model &&
    event.userTier === other.userTier &&
    event.traceId === other.traceId
  );
}

function fill({ start, slots }: Template, { text, at, cursor = "" }: TextEvent): string {
  // Added up, not joined: V8 copies the pieces once, into what is sent.
  let json = start;
  for (const { name, after } of slots) {
    const value = name === "t" ? text : name === "a" ? at : cursor;
    json += JSON.stringify(value).slice(1, -1) + after;
  }
  return json;
}
