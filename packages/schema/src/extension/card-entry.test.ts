import { expect, test } from "vitest";
import { EVENT_KINDS } from "../testing/arbitrary/arbitrary-event.js";
import { buildCardEntries } from "./card-entry.js";

/** Kinds of the RFC, A2A's own artifacts, and kinds that we do not know. */
const OTHER_KINDS = [
  "ARTIFACT",
  "STATE_CHANGE",
  "TEXT_CONTENT",
  "THOUGHT",
  "TOOL_CALL_UPDATE",
  "UNKNOWN",
];

test("the card lists every kind of the session extension [RFC-04]", () => {
  const [, session] = buildCardEntries();

  const ours = EVENT_KINDS.filter((kind) => !OTHER_KINDS.includes(kind));

  expect(session?.params?.kinds).toEqual(expect.arrayContaining(ours));
  expect(session?.params?.kinds).toHaveLength(ours.length);
});
