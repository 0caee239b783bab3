import path from "node:path";
import { findNearest, type ServerPolicy } from "@dt/schema";
import { checkShape, type ShapeFault } from "../check-shape.js";
import { SettingsError, type SettingsFault } from "../settings-error.js";
import { parseYaml, type YamlSource } from "../yaml/yaml-source.js";
import { policyJsonSchema } from "./policy-schema.js";

/** A policy file that was read. */
export interface PolicyFile {
  readonly file: string;
  readonly text: string;
  /** Names of the built-in tools. A name that is similar to one of them is probably misspelt. */
  readonly toolNames: readonly string[];
}

/**
 * Parses a policy from YAML. Throws {@link SettingsError} for any fault, because a policy with a misspelt key
 * would limit less than its author intends.
 */
export async function parsePolicy({ file, text, toolNames }: PolicyFile): Promise<ServerPolicy> {
  const yaml = await parseYaml(file, text);
  const schema = policyJsonSchema();
  const faults = checkShape(schema, yaml.value ?? {}).map((fault) => describe(fault, yaml.value));
  if (faults.length > 0) throw toError(faults, file, yaml);
  // The schema check above guarantees the shape of the type.
  const policy = yaml.value as ServerPolicy;
  const wrong = [...findMisspelt(policy, toolNames), ...findRelative(policy)];
  if (wrong.length > 0) throw toError(wrong, file, yaml);
  return policy;
}

type Fault = Pick<ShapeFault, "path" | "problem">;

function toError(faults: readonly Fault[], file: string, yaml: YamlSource): SettingsError {
  return new SettingsError(
    faults.map(
      ({ path: key, problem }): SettingsFault => ({
        file,
        ...yaml.positionOf(key),
        key: key.join("."),
        problem,
      }),
    ),
  );
}

function describe({ path: key, problem, isUnknownKey }: ShapeFault, value: unknown): Fault {
  if (isUnknownKey) return { path: key, problem: describeUnknown(key) };
  const given = key.reduce<unknown>(stepInto, value);
  const [, words] = /^must be one of (.+)$/.exec(problem) ?? [];
  const meant = typeof given === "string" && words && findNearest(given, words.split(", "));
  if (key.length === 0 && problem.includes("fewer than 1"))
    return { path: key, problem: `is empty; ${listKeys(keysAt([]))}` };
  return { path: key, problem: meant ? `${problem}; did you mean ${meant}?` : problem };
}

function describeUnknown(key: readonly string[]): string {
  const known = keysAt(key.slice(0, -1));
  const meant = findNearest(key.at(-1) ?? "", known);
  return `is not a key of a policy; ${meant === undefined ? listKeys(known) : `did you mean ${meant}?`}`;
}

function listKeys(keys: readonly string[]): string {
  return `the keys are ${keys.join(", ")}`;
}

/** Returns the keys that the schema has at a path. */
function keysAt(key: readonly string[]): readonly string[] {
  const part = key.reduce<unknown>(
    (schema, name) => stepInto(stepInto(schema, "properties"), name),
    policyJsonSchema(),
  );
  return Object.keys((stepInto(part, "properties") ?? {}) as object);
}

function stepInto(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

// A tool of an MCP server may have any name, so only names similar to a built-in tool are refused.
function findMisspelt(policy: ServerPolicy, toolNames: readonly string[]): readonly Fault[] {
  return (["allowedTools", "excludedTools"] as const).flatMap((list) =>
    (policy[list] ?? []).flatMap((name, index) => {
      const meant = toolNames.includes(name) ? undefined : findNearest(name, toolNames);
      const problem = `there is no tool ${name}; did you mean ${meant}?`;
      return meant === undefined ? [] : [{ path: [list, String(index)], problem }];
    }),
  );
}

function findRelative({ workspaceRoots = [] }: ServerPolicy): readonly Fault[] {
  return workspaceRoots.flatMap((root, index) =>
    path.isAbsolute(root)
      ? []
      : [{ path: ["workspaceRoots", String(index)], problem: "must be an absolute directory" }],
  );
}
