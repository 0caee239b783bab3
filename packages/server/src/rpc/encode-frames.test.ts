import { defaultExtensionUris } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import type { LoggedEvent } from "../log/session-log.js";
import { type Dialect, encodeEventFrame } from "./encode-frames.js";

const dialect = (session: boolean): Dialect => ({
  spelling: spellings["1.0"],
  activation: { uris: defaultExtensionUris, developmentTool: true, session },
});

test("an event is encoded once for all observers of a dialect", () => {
  let encodings = 0;
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi" }, { cursor: "7" });
  const logged: LoggedEvent = {
    seq: 7,
    turn: 1,
    encoded: new Map(),
    get event() {
      return {
        ...event,
        get text() {
          encodings += 1;
          return "hi";
        },
      };
    },
  } as LoggedEvent;

  const frames = Array.from({ length: 100 }, () => encodeEventFrame(logged, dialect(true), false));
  encodeEventFrame(logged, dialect(false), false);

  expect(encodings).toBe(2);
  expect(new Set(frames.map(({ json }) => json)).size).toBe(1);
});
