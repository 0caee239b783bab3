import type { SessionEvent } from "../../event/agent-event.js";

/** A piece of the agent's text, with its header. */
export type TextEvent = SessionEvent & { readonly kind: "TEXT_CONTENT" };

/**
 * Creates an encoder of text frames for one stream. Consecutive frames share a template (task,
 * state, model, keys), into which text, time and cursor are inserted. The bytes are the same as
 * those of `encode`. The template saves most of the time, because no objects are built.
 *
 * `encode` must insert the text, the time and the cursor unchanged, and use no other field that
 * differs between events with the same header.
 */
export function createTextFrameEncoder(
  encode: (event: TextEvent) => string,
): (event: TextEvent) => string {
  let template: Template | undefined;
  return (event) => {
    if (!canUseTemplate(event)) return encode(event);
    if (template === undefined || !hasSameHeader(event, template.sample)) {
      template = buildTemplate(event, encode);
    }
    return template === undefined ? encode(event) : fill(template, event);
  };
}

interface Template {
  /** Event that the template was built from. */
  readonly sample: TextEvent;
  readonly start: string;
  /** Fields to insert, each with the text after it. */
  readonly slots: readonly { readonly name: SlotName; readonly after: string }[];
}

type SlotName = "t" | "a" | "c";

/**
 * Marks the position of a field in a template. The name of the field follows the mark. The mark is a
 * private-use character, which JSON does not escape.
 */
const MARK = "\uE000";

/** Builds a template. Returns undefined if the shared text contains the mark character. */
function buildTemplate(
  sample: TextEvent,
  encode: (event: TextEvent) => string,
): Template | undefined {
  if (encode({ ...sample, text: "", at: "", cursor: "-" }).includes(MARK)) return undefined;
  const marked = encode({ ...sample, text: `${MARK}t`, at: `${MARK}a`, cursor: `${MARK}c` });
  const [start = "", ...rest] = marked.split(MARK);
  const slots = rest.map((piece) => ({ name: piece[0] as SlotName, after: piece.slice(1) }));
  return { sample, start, slots };
}

// Returns true if an event can use a template. A template has a cursor, but no usage, error or
// attachments, which are rare.
function canUseTemplate({ cursor, usage, error, attachments }: TextEvent): boolean {
  if (cursor === undefined || cursor === "") return false;
  return usage === undefined && error === undefined && attachments === undefined;
}

/** Returns true if two events only differ in the inserted fields. */
function hasSameHeader(event: TextEvent, other: TextEvent): boolean {
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
  // The pieces are added with `+=` and not with `join`, because V8 then copies them only once.
  let json = start;
  for (const { name, after } of slots) {
    const value = name === "t" ? text : name === "a" ? at : cursor;
    json += JSON.stringify(value).slice(1, -1) + after;
  }
  return json;
}
