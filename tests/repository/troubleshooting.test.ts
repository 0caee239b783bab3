import { ERROR_CODES } from "@dt/schema";
import { expect, test } from "vitest";
import { readText } from "./repository.js";

const guide = readText("docs/guides/troubleshooting.md");

test("the troubleshooting guide has one entry for each error code, in the order of ERROR_CODES", () => {
  const [, section = ""] = /## Errors by code\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const entries = [...section.matchAll(/^### (\S+)\n\n(-\d+), HTTP (\d+)\. .+/gm)];

  const described = entries.map(([, code = "", jsonRpc, http]) => [
    code,
    { jsonRpc: Number(jsonRpc), http: Number(http) },
  ]);

  expect(described).toEqual(
    Object.entries(ERROR_CODES).map(([code, { jsonRpc, http }]) => [code, { jsonRpc, http }]),
  );
});

test("each entry of the troubleshooting guide says what to do", () => {
  const entries = guide.split(/^### /m).slice(1);

  expect(entries.filter((entry) => !/^- /m.test(entry))).toEqual([]);
});
