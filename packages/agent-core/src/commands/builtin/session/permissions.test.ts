import type { Caller } from "@dt/schema";
import { expect, test } from "vitest";
import { callTool, scriptedModel } from "../../../testing/scripted-model.js";
import { scriptedTool } from "../../../testing/scripted-tool.js";
import { openCommandStage } from "../../open-command-stage.test-support.js";
import { createBuiltinCommands } from "../builtin-commands.js";

const bob: Caller = { user: "bob", name: "Bob", role: "approve" };
const host: Caller = {
  user: "terminal",
  name: "terminal",
  role: "approve",
  credential: "terminal",
};

/** A session with a tool called `deploy`. With `allowAlways`, Alice answers "always" to its question. */
async function openStage(options: { journal?: readonly Record<string, unknown>[] } = {}) {
  const deploy = scriptedTool({
    name: "deploy",
    actions: () => [{ type: "mcp", serverName: "cloud", toolName: "deploy" }],
  });
  const stage = await openCommandStage({
    ...options,
    hostCredential: "terminal",
    tools: () => [deploy],
    model: scriptedModel([
      [callTool("deploy")],
      [],
      [callTool("deploy")],
      [],
      [callTool("deploy")],
    ]),
    commands: ({ workspace }) =>
      createBuiltinCommands({
        workspaceRoot: workspace.root,
        tools: () => [],
        currentModel: () => "scripted",
      }),
  });
  return Object.assign(stage, {
    deploy,
    async allowAlways() {
      const turn = stage.prompt("go");
      await stage.untilAsked();
      await stage.answer("proceed_always");
      await turn;
    },
  });
}

const answer = "  1. calls of deploy on cloud (given by Alice, asked by deploy)";

test("/permissions lists the scope, the tool and the user of each answer", async () => {
  await using stage = await openStage();
  const before = await stage.run("/permissions");
  await stage.allowAlways();

  expect(before).toBe("no answer is remembered; the mode decides which calls ask");
  expect(await stage.run("/permissions")).toBe(
    `/permissions remove NUMBER deletes one of these answers\n${answer}`,
  );
  expect(await stage.run("/permissions", bob)).toContain(answer);
});

test("a removed answer no longer applies, even after a restart", async () => {
  await using stage = await openStage();
  await stage.allowAlways();

  const said = await stage.run("/permissions remove 1");
  await stage.reopen();
  void stage.prompt("again");
  await stage.untilAsked(2);

  expect(said).toBe(`removed; these calls ask again\n${answer}`);
  expect(stage.deploy.ran).toHaveLength(1);
});

test("the number of a removed answer is not used again", async () => {
  await using stage = await openStage();
  await stage.allowAlways();
  await stage.run("/permissions clear");
  const turn = stage.prompt("again");
  await stage.untilAsked(2);
  await stage.answer("proceed_always");
  await turn;

  expect(await stage.run("/permissions")).toContain("  2. calls of deploy");
  expect(await stage.run("/permissions remove 1")).toBe(
    "there is no answer 1; /permissions lists the answers",
  );
});

test("only the host's terminal and the user who gave an answer can remove the answer", async () => {
  await using stage = await openStage();
  await stage.allowAlways();

  expect(await stage.run("/permissions remove 1", bob)).toBe(
    "answer 1 was given by Alice; only they or the host's terminal can remove it",
  );
  expect(await stage.run("/permissions clear", bob)).toBe("there is no answer to remove");
  expect(await stage.run("/permissions remove x", bob)).toBe(
    "/permissions has no argument remove x; it has remove NUMBER and clear",
  );
  expect(await stage.run("/permissions clear", host)).toContain(answer);
  expect(stage.session().snapshot().remembered).toEqual([]);
});

test("/mode default lists the answers that still apply", async () => {
  await using stage = await openStage();
  const without = await stage.run("/mode default");
  await stage.allowAlways();
  await stage.run("/mode yolo");

  expect(without).not.toContain("still apply");
  expect(await stage.run("/mode default")).toBe(
    [
      "the mode of your prompts is now default: edits, shell commands and MCP tools ask",
      "these answers still apply; /permissions remove deletes one",
      answer,
    ].join("\n"),
  );
});

test("an answer that an earlier version stored without a description is listed with its scope", async () => {
  const remembered = (scope: string) => ({
    type: "remembered",
    answer: { principal: "alice", turn: 1, scope },
  });
  await using stage = await openStage({
    journal: [remembered("execute-exact:/w:echo a\\:b"), remembered("edit:inside")],
  });

  expect(await stage.run("/permissions")).toBe(
    [
      "/permissions remove NUMBER deletes one of these answers",
      "  1. execute exact: /w: echo a:b (given by alice)",
      "  2. edit: inside (given by alice)",
    ].join("\n"),
  );
});

test("an answer with line breaks is listed on one line", async () => {
  const answer = { principal: "alice", turn: 1, scope: "x", words: "a\n  2. b", name: "Al\nice" };
  await using stage = await openStage({ journal: [{ type: "remembered", answer }] });

  expect(await stage.run("/permissions")).toContain("  1. a 2. b (given by Al ice)");
});
