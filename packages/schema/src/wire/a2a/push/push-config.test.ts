import { StreamResponse, TaskPushNotificationConfig } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { A2aPushFrame } from "../a2a.js";
import { V0_3 } from "../v0-3.js";
import { V1_0 } from "../v1-0.js";
import type { A2aTaskPushConfig } from "./push-config.js";
import { pushParams } from "./push-params.js";

const text = fc.string({ minLength: 1 });
const optional = <TValue>(value: fc.Arbitrary<TValue>) => fc.option(value, { nil: undefined });

/** Any push config with at most `maxSchemes` authentication schemes. A2A 1.0 allows only one scheme. */
const arbitraryConfig = (maxSchemes: number): fc.Arbitrary<A2aTaskPushConfig> =>
  fc
    .record({
      taskId: text,
      url: text,
      id: optional(text),
      token: optional(text),
      schemes: optional(fc.array(text, { minLength: 1, maxLength: maxSchemes })),
      credentials: optional(text),
      metadata: optional(fc.dictionary(text, fc.boolean())),
    })
    .map(({ taskId, url, id, token, schemes, credentials, metadata }) => ({
      taskId,
      config: {
        url,
        ...(id !== undefined && { id }),
        ...(token !== undefined && { token }),
        ...(schemes !== undefined && {
          authentication: { schemes, ...(credentials !== undefined && { credentials }) },
        }),
        ...(metadata !== undefined && { metadata }),
      },
    }));

describe.each([
  [V0_3, 3],
  [V1_0, 1],
] as const)("A2A $version", (spelling, maxSchemes) => {
  test("a push config that is encoded and decoded is the same config [RFC-03]", () => {
    fc.assert(
      fc.property(arbitraryConfig(maxSchemes), (config) => {
        const json = JSON.parse(JSON.stringify(spelling.push.encodeTaskConfig(config)));

        expect(spelling.push.decodeTaskConfig(json, "")).toEqual(config);
      }),
    );
  });
});

const full: A2aTaskPushConfig = {
  taskId: "t",
  config: {
    id: "c",
    url: "https://example.com/hook",
    token: "secret",
    authentication: { schemes: ["Bearer"], credentials: "key" },
  },
};

test("a config has the spelling of its version [RFC-03]", () => {
  expect(V0_3.push.encodeTaskConfig(full)).toEqual({
    taskId: "t",
    pushNotificationConfig: {
      id: "c",
      url: "https://example.com/hook",
      token: "secret",
      authentication: { schemes: ["Bearer"], credentials: "key" },
    },
  });
  expect(V1_0.push.encodeTaskConfig(full)).toEqual({
    id: "c",
    taskId: "t",
    url: "https://example.com/hook",
    token: "secret",
    authentication: { scheme: "Bearer", credentials: "key" },
  });
});

test("A2A 1.0's config passes through the official SDK unchanged", () => {
  const json = V1_0.push.encodeTaskConfig(full);

  const passed = TaskPushNotificationConfig.toJSON(TaskPushNotificationConfig.fromJSON(json));

  expect(passed).toEqual(json);
});

test("configs are listed as an array in 0.3 and as a page in 1.0", () => {
  expect(V0_3.push.encodeTaskConfigs([full])).toEqual([V0_3.push.encodeTaskConfig(full)]);
  expect(V1_0.push.encodeTaskConfigs([full])).toEqual({
    configs: [V1_0.push.encodeTaskConfig(full)],
    nextPageToken: "",
  });
  expect(V0_3.push.encodeTaskConfigs([], "more")).toEqual([]);
  expect(V1_0.push.encodeTaskConfigs([], "more")).toEqual({ configs: [], nextPageToken: "more" });
});

test("a config with several authentication schemes keeps only the first one in A2A 1.0", () => {
  const { config } = full;
  const several = { ...config, authentication: { schemes: ["Basic", "Bearer"] } };

  expect(V1_0.push.encodeTaskConfig({ taskId: "t", config: several })).toMatchObject({
    authentication: { scheme: "Basic" },
  });
  const none = { ...config, authentication: { schemes: [] } };
  expect(V1_0.push.encodeTaskConfig({ taskId: "t", config: none })).not.toHaveProperty(
    "authentication",
  );
});

test("the ids of a task and a config are decoded in the spelling of each version", () => {
  expect(pushParams["0.3"].decodeGetParams({ id: "t" })).toEqual({ taskId: "t" });
  expect(pushParams["0.3"].decodeGetParams({ id: "t", pushNotificationConfigId: "c" })).toEqual({
    taskId: "t",
    configId: "c",
  });
  expect(pushParams["0.3"].decodeDeleteParams({ id: "t", pushNotificationConfigId: "c" })).toEqual({
    taskId: "t",
    configId: "c",
  });
  expect(pushParams["0.3"].decodeListParams({ id: "t" })).toEqual({ taskId: "t" });
  for (const decode of [pushParams["1.0"].decodeGetParams, pushParams["1.0"].decodeDeleteParams]) {
    expect(decode({ taskId: "t", id: "c" })).toEqual({ taskId: "t", configId: "c" });
  }
  expect(pushParams["1.0"].decodeListParams({ taskId: "t", pageSize: 5, pageToken: "x" })).toEqual({
    taskId: "t",
    pageSize: 5,
    pageToken: "x",
  });
  expect(pushParams["1.0"].decodeListParams({ taskId: "t" })).toEqual({ taskId: "t" });
});

const refusedConfigs = [
  [V0_3, undefined, "params: expected an object"],
  [V0_3, {}, "taskId: expected a string"],
  [V0_3, { taskId: "t" }, "pushNotificationConfig: expected an object"],
  [V0_3, { taskId: "t", pushNotificationConfig: {} }, "pushNotificationConfig.url: expected"],
  [
    V0_3,
    { taskId: "t", pushNotificationConfig: { url: "x", authentication: {} } },
    "pushNotificationConfig.authentication.schemes: required",
  ],
  [
    V0_3,
    { taskId: "t", pushNotificationConfig: { url: "x", authentication: { schemes: [1] } } },
    "pushNotificationConfig.authentication.schemes[0]: expected a string",
  ],
  [V1_0, {}, "taskId: expected a string"],
  [V1_0, { taskId: "t" }, "url: expected a string"],
  [V1_0, { taskId: "t", url: "" }, "url: required"],
  [V1_0, { taskId: "t", url: "x", token: 1 }, "token: expected a string"],
  [
    V1_0,
    { taskId: "t", url: "x", authentication: { credentials: "y" } },
    "authentication.scheme: expected a string",
  ],
  [V1_0, { taskId: "t", url: "x", authentication: "y" }, "authentication: expected an object"],
] as const;

test.each(refusedConfigs.map(([{ version, push }, ...row]) => [version, ...row, push] as const))(
  "A2A %s refuses the push config %j with the path of the fault",
  (_, params, reason, push) => {
    expect(() => push.decodeTaskConfig(params, "")).toThrow(reason);
  },
);

test.each([
  [
    "pushNotificationConfigId: expected a string",
    () => pushParams["0.3"].decodeDeleteParams({ id: "t" }),
  ],
  ["id: expected a string", () => pushParams["1.0"].decodeGetParams({ taskId: "t" })],
  ["taskId: expected a string", () => pushParams["1.0"].decodeListParams({ id: "t" })],
  [
    "pageSize: expected a whole number of at least 0",
    () => pushParams["1.0"].decodeListParams({ taskId: "t", pageSize: -1 }),
  ],
])("wrong parameters about push configs are refused with %j", (reason, decode) => {
  expect(decode).toThrow(reason);
});

const update: A2aPushFrame = {
  type: "status-update",
  taskId: "t",
  contextId: "s",
  status: { state: "completed", timestamp: "2026-01-02T03:04:05.678Z" },
  isFinal: true,
  metadata: { "urn:x": { cursor: "1" } },
};

test("a push receiver gets a task in A2A 0.3, and a stream frame in A2A 1.0 [RFC-03]", () => {
  const status = { state: "completed", timestamp: "2026-01-02T03:04:05.678Z" };
  const metadata = { "urn:x": { cursor: "1" } };

  expect(V0_3.encodePush(update)).toEqual({
    kind: "task",
    id: "t",
    contextId: "s",
    status,
    metadata,
  });
  expect(V1_0.encodePush(update)).toEqual({
    statusUpdate: {
      taskId: "t",
      contextId: "s",
      status: { ...status, state: "TASK_STATE_COMPLETED" },
      metadata,
    },
  });
});

test("encodePush keeps the ids of a task in both versions", () => {
  const { status } = update;
  const frame: A2aPushFrame = { type: "task", task: { id: "t", contextId: "s", status } };

  expect(V0_3.encodePush(frame)).toMatchObject({ kind: "task", id: "t", contextId: "s" });
  expect(V1_0.encodePush(frame)).toMatchObject({ task: { id: "t", contextId: "s" } });
});

test("the official SDK decodes and encodes a push body of A2A 1.0 unchanged", () => {
  const json = V1_0.encodePush(update);

  expect(StreamResponse.toJSON(StreamResponse.fromJSON(json))).toEqual(json);
});
