import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openPromptHistory } from "./prompt-history.js";

async function openFile() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-history-"));
  return {
    file: path.join(directory, "history"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

test("a draft can be recalled but is not written to the file", async () => {
  await using temporary = await openFile();
  const history = await openPromptHistory(temporary.file);

  history.add("sent");
  history.addDraft("half");
  await history.flush();

  expect(history.prompts).toEqual(["sent", "half"]);
  expect(await readFile(temporary.file, "utf8")).toBe('"sent"\n');
});

test("a draft that is sent later is written to the file", async () => {
  await using temporary = await openFile();
  const history = await openPromptHistory(temporary.file);

  history.addDraft("half");
  history.add("half");
  await history.flush();

  expect(history.prompts).toEqual(["half"]);
  expect(await readFile(temporary.file, "utf8")).toBe('"half"\n');
});
