import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildEvent } from "@dt/schema/testing";
import { decodeRecording } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { CLI_VERSION } from "../cli-version.js";
import { openRecording } from "./open-recording.js";

test("a recording consists of a header line and one line per event", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-record-"));
  const file = path.join(directory, "session.jsonl");
  const at = "2026-01-02T03:04:05.000Z";
  const event = buildEvent({ kind: "TEXT_CONTENT", text: "hi\nthere" });

  const recording = openRecording(file, () => new Date(at));
  recording.write(event);
  recording[Symbol.dispose]();
  recording.write(event);

  const { events, ...header } = decodeRecording(await readFile(file, "utf8"));
  expect(header).toEqual({ recordedAt: at, agent: `dt ${CLI_VERSION}` });
  expect(events).toEqual([event]);
  await rm(directory, { recursive: true });
});

test("a recording file that is not empty is refused and stays unchanged", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-record-"));
  const [full, empty] = [path.join(directory, "full"), path.join(directory, "empty")];
  await writeFile(full, "precious");
  await writeFile(empty, "");

  expect(() => openRecording(full)).toThrow(`--record: ${full} already exists`);
  openRecording(empty)[Symbol.dispose]();

  expect(await readFile(full, "utf8")).toBe("precious");
  expect(await readFile(empty, "utf8")).not.toBe("");
  await rm(directory, { recursive: true });
});

test("a recording file that cannot be written is refused with a message of one line", () => {
  expect(() => openRecording("/nowhere/at/all.jsonl")).toThrow(
    /^--record: \/nowhere\/at\/all\.jsonl cannot be written: [^\n]*$/,
  );
});
