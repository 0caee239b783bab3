import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  equals,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { descriptorSet } from "../gen/descriptor-set.js";
import { fieldTable } from "../gen/field-table.js";
import { arbitraryMessage, MESSAGE_NAMES } from "../testing/arbitrary/arbitrary-message.js";
import { buildQuestion, buildToolCall } from "../testing/build-tool-call.js";
import {
  checkDepth,
  encodeMessage,
  isNestedDeeper,
  isObject,
  type JsonObject,
  MAX_VALUE_DEPTH,
  type MessageName,
  parseMessage,
} from "./message-json.js";
import type { Messages } from "./messages.js";

const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, base64Decode(descriptorSet)),
);

/** Any message with its name; every type is equally likely. */
const anyMessage = fc.constantFrom(...MESSAGE_NAMES).chain((name) =>
  fc.record({
    name: fc.constant(name),
    // The cast is safe, because the message is generated for this name.
    message: arbitraryMessage(name) as fc.Arbitrary<Messages[MessageName]>,
  }),
);

describe("comparison with the reflection of @bufbuild/protobuf", () => {
  test("MESSAGE_NAMES has every message of the protos and no other", () => {
    const names = [...registry]
      .filter((type) => type.kind === "message")
      .filter((type) => !type.typeName.startsWith("google."))
      .map((type) => type.name);

    expect(names.toSorted()).toEqual([...MESSAGE_NAMES].toSorted());
  });

  test("a message that is encoded and parsed is the same message [RFC-09]", () => {
    fc.assert(
      fc.property(anyMessage, ({ name, message }) => {
        expect(parseMessage(name, encodeMessage(name, message))).toEqual(message);
      }),
      { numRuns: 400 },
    );
  });

  test("the reflection parses our JSON as the same message [RFC-09]", () => {
    fc.assert(
      fc.property(anyMessage, ({ name, message }) => {
        const schema = schemaOf(name);

        const read = fromJson(schema, encodeMessage(name, message) as JsonValue);

        expect(equals(schema, read, toReflected(schema, message))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ["the proto's field names", true],
    ["camel-case field names", false],
  ] as const)("parseMessage parses the reflection's JSON with %s", (_, isProtoName) => {
    fc.assert(
      fc.property(anyMessage, fc.boolean(), ({ name, message }, alwaysEmitImplicit) => {
        const schema = schemaOf(name);

        const json = toJson(schema, toReflected(schema, message), {
          useProtoFieldName: isProtoName,
          alwaysEmitImplicit,
        });

        expect(parseMessage(name, json)).toEqual(message);
      }),
      { numRuns: 400 },
    );
  });

  test("parseMessage refuses exactly the values that the reflection or our stricter rules refuse", () => {
    const corrupted = anyMessage.chain(({ name, message }) => {
      const json = encodeMessage(name, message);
      return fc.record({
        name: fc.constant(name),
        json: fc
          .record({ path: fc.constantFrom(...pathsIn(json)), value: fc.constantFrom(...oddValues) })
          .map(({ path, value }) => replaced(json, path, value)),
      });
    });
    const verdicts = { accepted: 0, refused: 0 };

    fc.assert(
      fc.property(corrupted, ({ name, json }) => {
        const schema = schemaOf(name);
        const expected = attempt(() => fromJson(schema, json as JsonValue));
        const isAllowed = expected !== undefined && !breaksStricterRule(schema, expected);

        const actual = attempt(() => parseMessage(name, json));

        expect(actual !== undefined).toBe(isAllowed);
        if (isAllowed) expect(equals(schema, expected, toReflected(schema, actual))).toBe(true);
        verdicts[isAllowed ? "accepted" : "refused"] += 1;
      }),
      { numRuns: 1500 },
    );
    // The generated values must include many that are accepted and many that are refused.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(100);
  });

  test("unknown fields are ignored at any depth", () => {
    const strange = fc.constantFrom("x", "toString", "constructor", "hasOwnProperty", "$case");
    fc.assert(
      fc.property(anyMessage, strange, fc.jsonValue(), ({ name, message }, key, value) => {
        const json = withKeyEverywhere(name, encodeMessage(name, message), key, value);

        expect(parseMessage(name, json)).toEqual(message);
      }),
      { numRuns: 300 },
    );
  });
});

describe("refusals", () => {
  const question = encodeMessage("ToolCall", buildQuestion());
  const request = question.confirmation_request as JsonObject;
  const [first, second, third] = request.options as JsonObject[];

  test.each<[string, MessageName, unknown, string]>([
    ["text instead of a message", "ToolCall", "call", "expected an object"],
    ["a list instead of a message", "ToolCall", [], "expected an object"],
    ["undefined instead of a message", "ToolCall", undefined, "expected an object"],
    [
      "a number deep in a list",
      "ToolCall",
      {
        ...question,
        confirmation_request: { ...request, options: [first, { ...second, id: 7 }, third] },
      },
      "confirmation_request.options[1].id: expected a string",
    ],
    [
      "a missing required field deep in a list",
      "ToolCall",
      { ...question, confirmation_request: { ...request, options: [{ name: "Allow" }] } },
      "confirmation_request.options[0].id: required",
    ],
    [
      "an empty required field",
      "AgentSettings",
      { workspace_path: "" },
      "workspace_path: required",
    ],
    [
      "a required field that is null",
      "AgentSettings",
      { workspace_path: null },
      "workspace_path: required",
    ],
    [
      "an empty required list",
      "ExecuteSlashCommandRequest",
      { command_path: [] },
      "command_path: required",
    ],
    [
      "an unknown status",
      "ToolCall",
      { ...question, status: "PAUSED" },
      "status: expected one of PENDING, EXECUTING, SUCCEEDED, FAILED, CANCELLED",
    ],
    [
      "the number of an unknown status",
      "ToolCall",
      { ...question, status: 6 },
      "status: expected one of PENDING, EXECUTING, SUCCEEDED, FAILED, CANCELLED",
    ],
    ["an absent status", "ToolCall", { ...question, status: 0 }, "status: required"],
    [
      "a field in both casings",
      "ToolCall",
      { ...question, toolName: "edit" },
      "tool_name: also given as toolName",
    ],
    [
      "two fields of one oneof",
      "ToolCall",
      { ...question, output: { text: "done" }, error: { message: "no" } },
      "error: only one field of result may be set",
    ],
    [
      "a wrong value in a map",
      "AgentSettings",
      { workspace_path: "/w", mcp_servers: { "a b": { env: { KEY: 1 } } } },
      'mcp_servers["a b"].env["KEY"]: expected a string',
    ],
    ["a list instead of a map", "McpServer", { env: [] }, "env: expected an object"],
    ["an object instead of a list", "McpServer", { args: {} }, "args: expected a list"],
    [
      "a boolean field that is text",
      "AgentSettings",
      { workspace_path: "/w", autoExecute: "true" },
      "auto_execute: expected true or false",
    ],
    ["a fraction", "ErrorDetails", { status_code: 0.5 }, "status_code: expected a 32-bit integer"],
    [
      "a list instead of a struct",
      "ToolCall",
      { ...question, input_parameters: [] },
      "input_parameters: expected an object",
    ],
  ])("%s is refused with the path of the fault [RFC-08]", (_, name, json, message) => {
    expect(() => parseMessage(name, json)).toThrow(
      expect.objectContaining({ code: "invalid-message", message }),
    );
  });

  test("the path starts with the prefix that parseMessage got [RFC-08]", () => {
    expect(() => parseMessage("ToolCall", { tool_call_id: 1 }, "parts[0].data")).toThrow(
      expect.objectContaining({
        message: "parts[0].data.tool_call_id: expected a string",
        data: { path: "parts[0].data.tool_call_id" },
      }),
    );
  });

  test("a field that is null in one casing is read from the other casing", () => {
    const read = [
      { workspace_path: null, workspacePath: "/w" },
      { workspace_path: "/w", workspacePath: null },
    ].map((json) => parseMessage("AgentSettings", json).workspacePath);

    expect(read).toEqual(["/w", "/w"]);
  });

  test.each([
    [7, 7],
    ["7", 7],
    ["-7", -7],
    ["1e3", 1000],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [-(2 ** 31), -(2 ** 31)],
    [2 ** 31, undefined],
    ["", undefined],
    [" 7", undefined],
    ["7 ", undefined],
    ["0.5", undefined],
    ["x", undefined],
    [true, undefined],
    [[7], undefined],
  ])(
    "the value %j of an integer field is parsed as %s (undefined means refused)",
    (value, expected) => {
      const read = attempt(() => parseMessage("ErrorDetails", { status_code: value }).statusCode);

      expect(read).toBe(expected);
    },
  );

  test("the number -0 is read as 0", () => {
    expect(parseMessage("ErrorDetails", { status_code: -0 }).statusCode).toBe(0);
  });

  test("absent fields get their default, and defaults are not written", () => {
    const config = {
      allEvents: false,
      state: "PUSH_STATE_UNSPECIFIED",
      cursor: "",
      failures: 0,
      nextAttemptAt: "",
      lastError: "",
    } as const;
    const server = { args: [], env: {}, headers: {} };
    const error = { message: "" };

    expect(parseMessage("PushConfigInfo", {})).toStrictEqual(config);
    expect(encodeMessage("PushConfigInfo", config)).toStrictEqual({});
    expect(parseMessage("McpServer", {})).toStrictEqual(server);
    expect(encodeMessage("McpServer", { ...server, options: undefined })).toStrictEqual({});
    expect(parseMessage("ErrorDetails", {})).toStrictEqual(error);
    expect(encodeMessage("ErrorDetails", { ...error, statusCode: 0 })).toStrictEqual({
      message: "",
      status_code: 0,
    });
  });

  test("settings other than the workspace are read", () => {
    const json = {
      workspace_path: "/w",
      allowed_tools: ["read_file"],
      mcp_servers: { ide: { url: "http://127.0.0.1:1" } },
    };

    expect(parseMessage("AgentSettings", json)).toEqual({
      workspacePath: "/w",
      allowedTools: ["read_file"],
      mcpServers: { ide: { args: [], env: {}, headers: {}, url: "http://127.0.0.1:1" } },
    });
  });
});

describe("hostile input", () => {
  test("nested messages are parsed to 64 levels and no deeper", () => {
    const nest = (levels: number): object =>
      levels === 0 ? { name: "leaf" } : { name: "group", sub_commands: [nest(levels - 1)] };

    expect(() => parseMessage("SlashCommand", nest(64))).not.toThrow();
    expect(() => parseMessage("SlashCommand", nest(65))).toThrow("nested deeper than 64 levels");
    expect(() => parseMessage("SlashCommand", nest(5000))).toThrow("nested deeper than 64 levels");
  });

  test("a struct is parsed to 64 levels of objects and lists, and no deeper", () => {
    const call = encodeMessage("ToolCall", buildQuestion());
    const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: [nest(levels - 1)] });

    expect(() => parseMessage("ToolCall", { ...call, input_parameters: nest(31) })).not.toThrow();
    expect(() => parseMessage("ToolCall", { ...call, input_parameters: nest(3000) })).toThrow(
      "input_parameters: nested deeper than 64 levels",
    );
  });

  test("the depth of a struct includes the levels of the message that contains it [SEC-09]", () => {
    const call = encodeMessage("ToolCall", buildToolCall());
    const withInput = (value: unknown) => ({ ...call, input_parameters: value });
    const withOutput = (value: unknown) => ({ ...call, output: { structured_data: value } });
    const parse = (json: JsonObject) => () => parseMessage("ToolCall", json);

    expect(parse(withInput(nestLists(64)))).not.toThrow();
    expect(parse(withInput(nestLists(65)))).toThrow(
      "input_parameters: nested deeper than 64 levels",
    );
    expect(parse(withOutput(nestLists(63)))).not.toThrow();
    expect(parse(withOutput(nestLists(64)))).toThrow(
      "output.structured_data: nested deeper than 64 levels",
    );
    expect(parse(withOutput(nestLists(MAX_VALUE_DEPTH)))).not.toThrow();
    expect(MAX_VALUE_DEPTH).toBe(56);
  });

  test("JSON with one level too many is refused with the path of the value [SEC-09]", () => {
    const leaves = [1, "x", null, {}, []];

    expect(leaves.map((leaf) => isNestedDeeper(leaf, 0))).toEqual(leaves.map(() => false));
    expect([2, 3, 4].map((levels) => isNestedDeeper(nestLists(3), levels))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isNestedDeeper([1, nestLists(3), 1], 3)).toBe(true);
    expect(() => checkDepth(nestLists(64), "message")).not.toThrow();
    expect(() => checkDepth(nestLists(65), "message")).toThrow(
      "message: nested deeper than 64 levels",
    );
  });

  test("a __proto__ key is an ordinary key and changes no prototype", () => {
    const json = JSON.parse(
      '{"workspace_path":"/w","__proto__":{"auto_execute":true},"mcp_servers":{"__proto__":{"env":{"__proto__":"x"}}}}',
    );

    const settings = parseMessage("AgentSettings", json);
    const written = JSON.stringify(encodeMessage("AgentSettings", settings));

    expect(settings.autoExecute).toBeUndefined();
    expect(Object.keys(settings.mcpServers)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(settings.mcpServers)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, "env")).toBe(false);
    expect(written).toBe(
      '{"workspace_path":"/w","mcp_servers":{"__proto__":{"env":{"__proto__":"x"}}}}',
    );
  });

  test("inherited keys are not fields", () => {
    const json = Object.create({ workspace_path: "/w" });

    expect(() => parseMessage("AgentSettings", json)).toThrow("workspace_path: required");
  });
});

/** Builds an object around lists around a number, with `levels` levels in all. */
function nestLists(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 1; level < levels; level += 1) value = [value];
  return { a: value };
}

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  5,
  99,
  1.5,
  2 ** 31,
  -(2 ** 31),
  "",
  "x",
  "7",
  " 7",
  "1e3",
  "-0",
  "0.5",
  "PENDING",
  "STATUS_UNSPECIFIED",
  [],
  [null],
  [[]],
  ["x"],
  [{}],
  {},
];

function schemaOf(name: string): DescMessage {
  const schema =
    registry.getMessage(`development_tool.${name}`) ?? registry.getMessage(`dt_session.${name}`);
  if (schema === undefined) throw new Error(`the descriptors have no message ${name}`);
  return schema;
}

/**
 * Converts our message to a message of the reflection. It uses the reflection's descriptors instead
 * of our table.
 */
function toReflected(schema: DescMessage, message: unknown): Message {
  const source = message as Readonly<Record<string, unknown>>;
  const init: Record<string, unknown> = {};
  for (const field of schema.fields) {
    if (field.oneof !== undefined) {
      const arm = source[field.oneof.localName] as { $case: string; value: unknown } | undefined;
      if (arm?.$case === field.localName) {
        init[field.oneof.localName] = {
          case: arm.$case,
          value: toReflectedValue(field, arm.value),
        };
      }
      continue;
    }
    const value = source[field.localName];
    if (value === undefined) continue;
    if (field.fieldKind === "list") {
      init[field.localName] = (value as unknown[]).map((item) => toReflectedValue(field, item));
    } else if (field.fieldKind === "map") {
      const entries = Object.entries(value as object);
      init[field.localName] = Object.fromEntries(
        entries.map(([key, item]) => [key, toReflectedValue(field, item)]),
      );
    } else {
      init[field.localName] = toReflectedValue(field, value);
    }
  }
  return create(schema, init);
}

function toReflectedValue(field: DescField, value: unknown): unknown {
  if (field.enum !== undefined) {
    return field.enum.values.find((candidate) => candidate.name === value)?.number;
  }
  // The reflection also represents a Struct as plain JSON.
  if (field.message === undefined || field.message.typeName === "google.protobuf.Struct") {
    return value;
  }
  return toReflected(field.message, value);
}

/**
 * Returns true if a required field is absent or an enum has an unknown value. ProtoJSON allows
 * both, and we do not.
 */
function breaksStricterRule(schema: DescMessage, message: Message): boolean {
  const table = (fieldTable[schema.name] ?? "").split(",").map((each) => each.split(" "));
  const source = message as unknown as Readonly<Record<string, unknown>>;
  return schema.fields.some((field) => {
    const arm = source[field.oneof?.localName ?? ""] as { case?: string; value: unknown };
    const value =
      field.oneof === undefined
        ? source[field.localName]
        : arm.case === field.localName
          ? arm.value
          : undefined;
    const flags = table.find(([name]) => name === field.name)?.[2] ?? "";
    const isEmpty = value === "" || value === 0 || (Array.isArray(value) && value.length === 0);
    if (String(flags).includes("r") && isEmpty) return true;
    if (value === undefined) return false;
    const items =
      field.fieldKind === "list" || field.fieldKind === "map"
        ? Object.values(value as object)
        : [value];
    return items.some((item) => {
      if (field.enum !== undefined) {
        return !field.enum.values.some((candidate) => candidate.number === item);
      }
      return (
        field.message !== undefined &&
        field.message.typeName !== "google.protobuf.Struct" &&
        breaksStricterRule(field.message, item)
      );
    });
  });
}

function attempt<TValue>(read: () => TValue): TValue | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

type Path = readonly (string | number)[];

function pathsIn(json: unknown): readonly Path[] {
  if (typeof json !== "object" || json === null) return [[]];
  const entries = Array.isArray(json) ? [...json.entries()] : Object.entries(json);
  return [[], ...entries.flatMap(([key, item]) => pathsIn(item).map((path) => [key, ...path]))];
}

function replaced(json: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(json)) return json.with(Number(key), replaced(json[Number(key)], rest, value));
  const object = json as JsonObject;
  return { ...object, [key]: replaced(object[key], rest, value) };
}

/** Adds a key to every message in some JSON, except in maps and structs, which may have any key. */
function withKeyEverywhere(name: string, json: unknown, key: string, value: unknown): unknown {
  if (!isObject(json)) return json;
  const fields = schemaOf(name).fields.flatMap((field) => {
    const item = json[field.name];
    if (item === undefined) return [];
    const below = field.message?.name;
    if (below === undefined || below === "Struct") return [[field.name, item] as const];
    if (Array.isArray(item)) {
      return [[field.name, item.map((one) => withKeyEverywhere(below, one, key, value))] as const];
    }
    if (field.fieldKind === "map") {
      const entries = Object.entries(item as object);
      return [
        [
          field.name,
          Object.fromEntries(
            entries.map(([at, one]) => [at, withKeyEverywhere(below, one, key, value)]),
          ),
        ] as const,
      ];
    }
    return [[field.name, withKeyEverywhere(below, item, key, value)] as const];
  });
  return { ...Object.fromEntries(fields), [key]: value };
}
