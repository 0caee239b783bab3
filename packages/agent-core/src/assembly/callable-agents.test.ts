import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { toCallableAgents } from "./callable-agents.js";

async function readToken(settings: { readonly token?: string; readonly tokenFile?: string }) {
  const { b } = toCallableAgents({ b: { url: "http://127.0.0.1:1/", ...settings } });
  return await b?.readToken();
}

test("a token file is read at each call, without its line break [SRV-24]", async () => {
  await using workspace = await openTempWorkspace();
  const tokenFile = path.join(workspace.root, "token");
  await writeFile(tokenFile, "one\n");
  const { b } = toCallableAgents({ b: { url: "http://127.0.0.1:1/", tokenFile } });

  const first = await b?.readToken();
  await writeFile(tokenFile, "two\n");

  expect([first, await b?.readToken()]).toEqual(["one", "two"]);
});

test("readToken resolves with undefined if the settings have no token [SRV-24]", async () => {
  expect(await readToken({})).toBeUndefined();
});

test("the error for an unusable token file names the setting or the file, and the problem [SRV-24]", async () => {
  await using workspace = await openTempWorkspace();
  const empty = path.join(workspace.root, "empty");
  const large = path.join(workspace.root, "large");
  const missing = path.join(workspace.root, "missing");
  await writeFile(empty, " \n");
  await writeFile(large, "x".repeat(64_001));

  const fault = async (tokenFile: string) =>
    await readToken({ tokenFile }).catch((reason: unknown) => String(reason));

  expect(await fault("token")).toContain("agents.b.tokenFile: token must be an absolute path");
  expect(await fault(missing)).toContain(`${missing} cannot be read; create it, or correct`);
  expect(await fault(large)).toContain(`${large} is larger than 64000 bytes`);
  expect(await fault(empty)).toContain("agents.b.tokenFile is empty; set it, or leave the key out");
});
