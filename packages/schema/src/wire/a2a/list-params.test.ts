import { expect, test } from "vitest";
import {
  decodeListParams,
  decodeTaskPage,
  encodeListParams,
  encodeTaskPage,
} from "./list-params.js";
import { V0_3 } from "./v0-3.js";
import { V1_0 } from "./v1-0.js";

test("absent parameters request a page of fifty tasks without a filter", () => {
  const everything = { pageSize: 50, includesArtifacts: false };

  expect(decodeListParams(undefined, V1_0)).toEqual(everything);
  expect(decodeListParams({ status: "TASK_STATE_UNSPECIFIED", contextId: "" }, V1_0)).toEqual(
    everything,
  );
});

test.each([
  [V0_3, "input-required"],
  [V1_0, "TASK_STATE_INPUT_REQUIRED"],
])("every filter is read in A2A $version", (spelling, status) => {
  const params = {
    contextId: "c",
    status,
    statusTimestampAfter: "2026-01-02T05:04:05+02:00",
    pageSize: 2,
    pageToken: "t",
    historyLength: 0,
    includeArtifacts: true,
  };

  expect(decodeListParams(params, spelling)).toEqual({
    contextId: "c",
    state: "input-required",
    since: "2026-01-02T03:04:05.000Z",
    pageSize: 2,
    pageToken: "t",
    historyLength: 0,
    includesArtifacts: true,
  });
});

test("decodeListParams accepts ProtoJSON's field names, enum numbers, numeric strings and nulls", () => {
  const params = {
    context_id: "c",
    status: 6,
    status_timestamp_after: null,
    page_size: "2",
    page_token: "t",
    history_length: "0",
    include_artifacts: true,
    tenant: "",
  };

  expect(decodeListParams(params, V1_0)).toEqual({
    contextId: "c",
    state: "input-required",
    pageSize: 2,
    pageToken: "t",
    historyLength: 0,
    includesArtifacts: true,
  });
});

test.each([
  [0, undefined],
  [3, "completed"],
  ["7", "rejected"],
  [8, "auth-required"],
  ["TASK_STATE_REJECTED", "rejected"],
])("the filter by status %j is decoded to the state %j", (status, state) => {
  expect(decodeListParams({ status }, V1_0).state).toBe(state);
});

test.each([
  [{ pageSize: 0 }, "pageSize: expected a whole number from 1 to 100"],
  [{ pageSize: 101 }, "pageSize: expected a whole number from 1 to 100"],
  [{ pageSize: "two" }, "pageSize: expected a whole number of at least 0"],
  [{ pageSize: 1.5 }, "pageSize: expected a whole number of at least 0"],
  [{ contextID: "c" }, "contextID: there is no such parameter, did you mean contextId?"],
  [{ state: "completed" }, "state: there is no such parameter"],
  [{ page_size: 1, pageSize: 2 }, "page_size: there is no such parameter, did you mean pageSize?"],
  [{ ["x".repeat(999)]: 1 }, `${"x".repeat(64)}: there is no such parameter`],
  [{ status: "done" }, "status: expected one of"],
  [{ statusTimestampAfter: "soon" }, "statusTimestampAfter: expected a time"],
  [{ includeArtifacts: "yes" }, "includeArtifacts: expected true or false"],
  [[], "params: expected an object"],
])("decodeListParams refuses %j", (params, reason) => {
  expect(() => decodeListParams(params, V1_0)).toThrow(reason);
});

test.each([V0_3, V1_0])(
  "filters and pages are decoded as they were encoded in A2A $version",
  (spelling) => {
    const params = {
      contextId: "c",
      state: "input-required",
      since: "2026-01-02T03:04:05.000Z",
      pageSize: 7,
      pageToken: "p",
      historyLength: 2,
      includesArtifacts: true,
    } as const;
    const task = { id: "t", contextId: "c", status: { state: "working" } } as const;
    const page = {
      tasks: [spelling.encodeTask(task)],
      nextPageToken: "n",
      pageSize: 7,
      totalSize: 9,
    };

    expect(decodeListParams(encodeListParams(params, spelling), spelling)).toEqual(params);
    expect(encodeListParams({}, spelling)).toEqual({});
    expect(decodeTaskPage(encodeTaskPage(page), spelling)).toEqual({
      tasks: [task],
      nextPageToken: "n",
      totalSize: 9,
    });
  },
);
