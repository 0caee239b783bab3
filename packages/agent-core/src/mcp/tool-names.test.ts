import fc from "fast-check";
import { expect, test } from "vitest";
import { assignToolNames } from "./tool-names.js";

const tool = (serverName: string, toolName: string) => ({ serverName, toolName });

test.for([
  ["a unique name stays the same", [tool("a", "search")], [], ["search"]],
  ["a name that is taken gets a prefix", [tool("a", "glob")], ["glob"], ["a__glob"]],
  [
    "a name that two servers use gets a prefix for each server",
    [tool("a", "find"), tool("b", "find"), tool("b", "sum")],
    [],
    ["a__find", "b__find", "sum"],
  ],
  ["a character that models refuse becomes an underscore", [tool("a", "x.y z/ä")], [], ["x_y_z__"]],
  ["a name that starts with a digit gets an underscore", [tool("a", "3d-view")], [], ["_3d-view"]],
] as const)("%s", ([, tools, taken, expected]) => {
  expect(assignToolNames(tools, taken)).toEqual(expected);
});

test("tools get different names even if their servers differ only in replaced characters", () => {
  const names = assignToolNames([tool("a.b", "x"), tool("a_b", "x")], []);

  expect(new Set(names).size).toBe(2);
  expect(names[0]).toMatch(/^a_b__x_[0-9a-f]{8}$/);
});

test("every name is unique and valid for every model", () => {
  const names = fc.oneof(fc.string({ maxLength: 100 }), fc.constantFrom("a", "a.b", "a_b", "b__c"));
  const tools = fc.uniqueArray(fc.record({ serverName: names, toolName: names }), {
    selector: ({ serverName, toolName }) => JSON.stringify([serverName, toolName]),
  });
  fc.assert(
    fc.property(tools, (given) => {
      const assigned = assignToolNames(given, ["a", "glob"]);

      expect(new Set(assigned).size).toBe(given.length);
      for (const name of assigned) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/);
      expect(assigned).not.toContain("a");
    }),
  );
});
