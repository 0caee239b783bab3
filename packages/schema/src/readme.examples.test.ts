/// <reference types="node" />
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_EXTENSION_URIS, emptyTaskView, reduceTaskView, type TaskView } from "./index.js";
import { decodeEventFrame, decodeTask, spellings } from "./wire/index.js";

/** Folds the JSON frames of an A2A 1.0 stream into the view that a screen shows. */
export function viewOf(frames: Iterable<unknown>): TaskView {
  let view = emptyTaskView("", "");
  for (const json of frames) {
    const frame = spellings["1.0"].decodeFrame(json, "frame");
    if (frame.type === "task") view = decodeTask(frame.task, DEFAULT_EXTENSION_URIS);
    if (frame.type === "status-update" || frame.type === "artifact-update") {
      view = reduceTaskView(view, decodeEventFrame(frame, DEFAULT_EXTENSION_URIS, view));
    }
  }
  return view;
}

test("the example folds a snapshot and the events after the snapshot into a view", () => {
  const view = viewOf([
    { task: golden("task-snapshot").v1_0 },
    golden("tool-call-executing").v1_0,
    golden("tool-call-succeeded-diff").v1_0,
    golden("text-content").v1_0,
    golden("state-change-completed").v1_0,
  ]);

  expect(view.state).toBe("completed");
  expect(view.openCalls).toEqual([]);
  expect(view.items.map(({ event }) => event.kind)).toEqual([
    "USER_PROMPT",
    "THOUGHT",
    "TOOL_CALL_UPDATE",
    "TEXT_CONTENT",
  ]);
});

test("the README contains the example's code", () => {
  const readme = read("../README.md");
  const [, snippet = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];

  const code = snippet
    .replace('"@dt/schema"', '"./index.js"')
    .replace('"@dt/schema/wire"', '"./wire/index.js"');

  expect(code).not.toBe("");
  expect(read("./readme.examples.test.ts")).toContain(code);
});

test("docs/schema.md lists every public name, and every error with its number", async () => {
  const page = read("../../../docs/schema.md");
  const { ERROR_CODES, ...names } = await import("./index.js");
  const wireNames = await import("./wire/index.js");
  const addressNames = await import("./address/index.js");
  const geminiNames = await import("./wire/gemini/index.js");

  const all = { ...names, ...wireNames, ...addressNames, ...geminiNames };
  const missing = Object.keys(all).filter((name) => !page.includes(`\`${name}\``));
  const unlisted = Object.entries(ERROR_CODES).filter(
    ([code, { jsonRpc }]) => !page.includes(`| \`${code}\` | ${jsonRpc} |`),
  );

  expect(missing).toEqual([]);
  expect(unlisted).toEqual([]);
});

test("ipaddr.js is the only dependency, and only the address entry imports it", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.ts$/.test(file) && !/\.test(-d)?\.ts$|^testing/.test(file),
  );
  const importers = files.filter((file) => /from "[^.]/.test(read(`./${file}`)));

  expect(Object.keys(JSON.parse(read("../package.json")).dependencies)).toEqual(["ipaddr.js"]);
  expect(importers.map((file) => file.split(/[\\/]/)[0])).toEqual(["address", "address"]);
});

function golden(name: string): { readonly v1_0: unknown } {
  return JSON.parse(read(`./testing/golden/${name}.json`));
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}
