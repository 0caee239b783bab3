/// <reference types="node" />
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../event/agent-event.js";
import type { TaskView } from "../event/task-view.js";
import { DEFAULT_EXTENSION_URIS } from "../extension/extension-uri.js";
import {
  encodeMessage,
  isObject,
  type JsonObject,
  type MessageName,
  parseMessage,
} from "../validation/message-json.js";
import type { Messages } from "../validation/messages.js";
import type { A2aSpelling, A2aVersion } from "../wire/a2a/a2a.js";
import type { ClientMessageAddress } from "../wire/canonical/client-message-codec.js";
import {
  type Activation,
  type ClientMessage,
  decodeClientMessage,
  decodeEventFrame,
  decodeTask,
  encodeClientMessage,
  encodeEventFrame,
  encodeTask,
  spellings,
} from "../wire/index.js";
import { EVENT_KINDS } from "./arbitrary/arbitrary-event.js";

// A golden file has one value and its exact JSON in both versions of A2A. A changed byte is a
// change of the protocol.
interface Golden extends Readonly<Record<A2aVersionKey, JsonObject>> {
  readonly name: string;
  readonly event?: SessionEvent;
  readonly message?: ClientMessage;
  readonly address?: ClientMessageAddress;
  readonly view?: TaskView;
  readonly type?: MessageName;
  readonly value?: Messages[MessageName];
  readonly json?: JsonObject;
}
type A2aVersionKey = "v0_3" | "v1_0";

const folder = new URL("./golden/", import.meta.url);
const goldens = readdirSync(folder).map((file) => ({
  file,
  // The cast is not checked. A file with other fields fails the tests below.
  golden: JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Golden,
}));
const uris = DEFAULT_EXTENSION_URIS;
const activation: Activation = { uris, developmentTool: true, session: true };
const versions: readonly (readonly [A2aVersion, A2aVersionKey])[] = [
  ["0.3", "v0_3"],
  ["1.0", "v1_0"],
];

test("every kind of event has a golden file, and every file is named after its value", () => {
  const kinds = new Set(goldens.flatMap(({ golden }) => golden.event?.kind ?? []));

  expect([...kinds].toSorted()).toEqual([...EVENT_KINDS].toSorted());
  expect(goldens.map(({ golden }) => `${golden.name}.json`)).toEqual(
    goldens.map(({ file }) => file),
  );
});

describe.each(versions)("A2A %s", (version, key) => {
  const spelling: A2aSpelling = spellings[version];

  test.each(goldensWith("event"))(
    "the event $name is encoded and decoded exactly [RFC-09] [RFC-13] [RFC-14] [RFC-15] [RFC-16] [RFC-17] [RFC-18]",
    (golden) => {
      const frame = spelling.decodeFrame(golden[key], "");
      if (frame.type !== "status-update" && frame.type !== "artifact-update")
        throw new Error(`expected an update: ${frame.type}`);

      const event = decodeEventFrame(frame, uris);
      // An event has no field for `final`, so the test reads `final` from the file.
      const isFinal = golden.v0_3.final === true;
      const json = spelling.encodeFrame(encodeEventFrame(event, activation, isFinal));

      expect(event).toEqual(golden.event);
      expect(JSON.stringify(json)).toBe(JSON.stringify(golden[key]));
    },
  );

  test.each(goldensWith("message"))(
    "the client's message $name is encoded and decoded exactly [RFC-21]",
    (golden) => {
      const message = decodeClientMessage(spelling.decodeMessage(golden[key], ""), uris);
      const json = spelling.encodeMessage(
        encodeClientMessage(message, golden.address ?? { messageId: "" }, uris),
      );

      expect(message).toEqual(golden.message);
      expect(JSON.stringify(json)).toBe(JSON.stringify(golden[key]));
    },
  );

  test.each(goldensWith("view"))("the task $name is encoded and decoded exactly", (golden) => {
    const view = decodeTask(spelling.decodeTask(golden[key], ""), uris);
    const json = spelling.encodeTask(encodeTask(view, { activation }));

    expect(view).toEqual(golden.view);
    expect(JSON.stringify(json)).toBe(JSON.stringify(golden[key]));
  });
});

test.each(goldensWith("type"))("the message $name is encoded and decoded exactly", (golden) => {
  const name = golden.type as MessageName;

  const value = parseMessage(name, golden.json);

  expect(value).toEqual(golden.value);
  expect(JSON.stringify(encodeMessage(name, value))).toBe(JSON.stringify(golden.json));
});

test("every key in the metadata of a golden file is an extension's URI [RFC-06]", () => {
  const keys = goldens.flatMap(({ golden }) => metadataKeysIn(golden));

  expect(new Set(keys)).toEqual(new Set(Object.values(uris)));
});

function goldensWith(key: keyof Golden): readonly Golden[] {
  return goldens.flatMap(({ golden }) => (golden[key] === undefined ? [] : [golden]));
}

function metadataKeysIn(json: unknown): readonly string[] {
  if (Array.isArray(json)) return json.flatMap(metadataKeysIn);
  if (!isObject(json)) return [];
  const own = isObject(json.metadata) ? Object.keys(json.metadata) : [];
  return [...own, ...Object.values(json).flatMap(metadataKeysIn)];
}
