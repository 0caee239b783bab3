import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { programs, runExample } from "./support/run-example.js";
import { startServerProcess } from "./support/server-process.js";

test.each(programs)(
  "the program of the example $name prints its documented output",
  async ({ name, args, expected }) => {
    await using stage = await openStage();

    const { exitCode, output } = await runExample(name, args(stage.url), stage.workspace.root);

    expect(output).toMatch(expected);
    expect(exitCode).toBe(0);
  },
);

test.each(programs)(
  "the program of the example $name fails if no agent answers",
  async ({ name, args }) => {
    const { exitCode, output } = await runExample(name, args("http://127.0.0.1:1"), tmpdir());

    expect(exitCode).toBe(1);
    expect(output).toContain("no agent answers at http://127.0.0.1:1; is it running?");
  },
);

test("stream-a-prompt cancels a turn whose question it cannot answer, and exits with 1", async () => {
  await using stage = await openStage();

  const { exitCode, output } = await runExample(
    "stream-a-prompt",
    ["write a.txt: a", stage.url],
    stage.workspace.root,
  );

  expect(exitCode).toBe(1);
  expect(output).toContain("canceled");
});

test("the push recipe sets a push config, and its receiver is called", async () => {
  const receiver = createServer((request, response) => {
    response.writeHead(204).end();
    request.resume();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const called = once(receiver, "request");
  const { port } = receiver.address() as AddressInfo;
  await using stage = await openStage({ server: { push: { allowList: ["127.0.0.1"] } } });
  const address = `http://127.0.0.1:${port}/`;

  const { output } = await runExample(
    "client-recipes/src/push.ts",
    [stage.url, address],
    stage.workspace.root,
  );
  await called;
  receiver.close();

  expect(output).toBe(`${address} receives pushes about the task; this client may disconnect\n`);
});

test("the commands recipe lists the commands of dt-server and runs /help", async () => {
  await using home = await openTempWorkspace();
  await using server = await startServerProcess({
    DT_DATA_DIR: home.root,
    DT_WORKSPACE_ROOTS: home.root,
    CODER_AGENT_PORT: "0",
  });

  const { output } = await runExample("client-recipes/src/commands.ts", [server.url], home.root);

  // The line of `/memory` is printed twice: in the list of the recipe, and by `/help`.
  expect(output.match(/^\/memory: /gm)).toHaveLength(2);
});
