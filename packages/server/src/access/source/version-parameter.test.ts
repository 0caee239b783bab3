import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { readVersionParameter } from "./version-parameter.js";

const read = (url: string | undefined, headers: Record<string, string> = {}) =>
  readVersionParameter({ headers, url } as unknown as IncomingMessage);

test.each([
  ["/", { "a2a-version": "1.0" }, "1.0"],
  ["/?A2A-Version=0.3", { "a2a-version": "1.0" }, "1.0"],
  ["/?A2A-Version=0.3", { "a2a-version": "" }, "0.3"],
  ["/?a2a-version=0.3", {}, "0.3"],
  ["/?other=1&A2A-VERSION=0.3", {}, "0.3"],
  ["/?A2A-Version=", {}, undefined],
  ["/?other=0.3", {}, undefined],
  ["/a2a-version=0.3", {}, undefined],
  ["/", {}, undefined],
  [undefined, {}, undefined],
])("the version of %s with the headers %o is %s", (url, headers, version) => {
  expect(read(url, headers)).toBe(version);
});
