import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { commitTo, storeContract } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openFileStore } from "./open-file-store.js";

// region: contract
test.each(storeContract)("the file store fulfils the contract: $name", async ({ check }) => {
  await using directory = await openDirectory();
  const store = await openFileStore(directory.file);

  await check(store);
});
// endregion

test("a file store finds its sessions after a restart, although the last line is unfinished", async () => {
  await using directory = await openDirectory();
  const before = await openFileStore(directory.file);
  await commitTo(before, [draft]);
  await before.close();
  await appendFile(directory.file, '["commit",[{"contextId":"con');

  const after = await openFileStore(directory.file);
  const session = await after.findSession("context");
  const journal = await after.readJournal("context");
  const lease = await after.acquire("context");
  await after.close();

  expect(session).toMatchObject({ owner: "alice", commitNumber: 1 });
  expect(journal).toEqual([{ type: "kept" }]);
  expect(lease.epoch).toBeGreaterThan(session?.epoch ?? 0);
});

const draft = {
  contextId: "context",
  session: {
    contextId: "context",
    owner: "alice",
    settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
    createdAt: "2026-01-01T00:00:00Z",
  },
  events: [],
  journal: [{ type: "kept" }],
  isCritical: true,
};

async function openDirectory() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-file-store-"));
  return {
    file: path.join(directory, "sessions.jsonl"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
