import { expect, test } from "vitest";
import { parseYaml } from "./yaml-source.js";

test.each([
  ["lists in lists", "- ".repeat(5000)],
  ["open brackets", "[".repeat(200_000)],
  ["open braces", '{"a":'.repeat(20_000)],
  ["keys inside keys", "? ".repeat(5000)],
  ["indented keys", Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")],
])("deep YAML of many %s is refused [SEC-09]", async (_name, text) => {
  await expect(parseYaml("config.yaml", text)).rejects.toThrow("is nested too deep");
});

test("YAML that is too long is refused [SEC-09]", async () => {
  await expect(parseYaml("config.yaml", "a: b\n".repeat(60_000))).rejects.toThrow("is longer than");
});

test("YAML of ordinary size and depth is parsed", async () => {
  const text = "a:\n  - b: [1, {c: d}]\n    # --- note ---\n  - - e\n\ntext: |\n  - [ x\n";

  expect((await parseYaml("config.yaml", text)).value).toEqual({
    a: [{ b: [1, { c: "d" }] }, ["e"]],
    text: "- [ x\n",
  });
});
