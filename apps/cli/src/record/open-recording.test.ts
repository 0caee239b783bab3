import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildEvent } from "@dt/schema/testing";
import { decodeRecording } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { version } from "../version.js";
import { openRecording } from "./open-recording.js";

test("a recording is a header and one event a line", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-record-"));
  const file = path.join(directory, "session.jsonl");
  const at = "2026-01-02T03:04:05.000Z";
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi\nthere" });

  const recording = openRecording(file, () => new Date(at));
  recording.take(event);
  recording[Symbol.dispose]();
  recording.take(event);

  const { events, ...header } = decodeRecording(await readFile(file, "utf8"));
  expect(header).toEqual({ recordedAt: at, agent: `dt ${version}` });
  expect(events).toEqual([event]);
  await rm(directory, { recursive: true });
});

test("a file that cannot be written is said in one line", () => {
  expect(() => openRecording("/nowhere/at/all.jsonl")).toThrow(
    /^--record: \/nowhere\/at\/all\.jsonl cannot be written: [^\n]*$/,
  );
});
