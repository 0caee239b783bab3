import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { SettingsError } from "../settings-error.js";
import { loadPolicy } from "./load-policy.js";
import { parsePolicy } from "./parse-policy.js";

const parse = (text: string) =>
  parsePolicy({ file: "/etc/dt/policy.yaml", text, toolNames: ["web_fetch", "write_file"] });

test.each([
  ["maxMod: plan", "1:1: maxMod is not a key of a policy; did you mean maxMode?"],
  [
    "models: [a]\nsharing:\n  maxDay: 3",
    "3:3: sharing.maxDay is not a key of a policy; did you mean maxDays?",
  ],
  [
    "mcpServers: { github: none }",
    "1:15: mcpServers.github is not a key of a policy; the keys are clients, workspaces, host",
  ],
  [
    "colour: red",
    "1:1: colour is not a key of a policy; the keys are maxMode, allowedTools, excludedTools, models, mcpServers, workspaceRoots, sharing",
  ],
  [
    "maxMode: auto-edti",
    "1:1: maxMode must be one of plan, default, auto-edit, yolo; did you mean auto-edit?",
  ],
  ["sharing: { maxRole: admin }", "1:12: sharing.maxRole must be one of observe, prompt, approve"],
  ["maxMode: 3", "1:1: maxMode must be one of plan, default, auto-edit, yolo"],
  ["excludedTools: web_fetch", "1:1: excludedTools must be array"],
  [
    "excludedTools: [web_fetsh]",
    "1:17: excludedTools.0 there is no tool web_fetsh; did you mean web_fetch?",
  ],
  ["workspaceRoots: [projects]", "1:18: workspaceRoots.0 must be an absolute directory"],
  [
    "{}",
    "1:1: is empty; the keys are maxMode, allowedTools, excludedTools, models, mcpServers, workspaceRoots, sharing",
  ],
  ["- maxMode", "1:1: must be object"],
])("a policy with a fault is refused with one sentence: %j [SEC-10]", async (text, sentence) => {
  const fault = await parse(text).catch((reason: unknown) => reason);

  expect(fault).toBeInstanceOf(SettingsError);
  expect((fault as SettingsError).message).toBe(`/etc/dt/policy.yaml:${sentence}`);
});

test("a policy with a key twice is refused", async () => {
  await expect(parse("maxMode: plan\nmaxMode: yolo")).rejects.toThrow("/etc/dt/policy.yaml:2:1: ");
});

test("tools of MCP servers may have any name", async () => {
  expect(await parse("excludedTools: [github__create_issue]")).toEqual({
    excludedTools: ["github__create_issue"],
  });
});

test("a policy file that does not exist is refused with the name of the variable", async () => {
  await expect(loadPolicy("/no/such/policy.yaml")).rejects.toThrow(
    "DT_POLICY_FILE: there is no file /no/such/policy.yaml",
  );
});

test("the example of the guide is valid and has every kind of limit [SEC-10]", async () => {
  const file = path.resolve(import.meta.dirname, "../../../../../docs/guides/policy-example.yaml");

  const policy = await loadPolicy(file);

  expect(policy).toEqual({
    maxMode: "auto-edit",
    excludedTools: ["web_fetch"],
    models: ["gemini-2.5-pro", "openai:*"],
    mcpServers: { clients: "addresses", workspaces: "none" },
    workspaceRoots: ["/srv/projects"],
    sharing: { links: false, maxRole: "approve", maxDays: 7 },
  });
  expect(readFileSync(file, "utf8").length).toBeLessThan(1_000);
});
