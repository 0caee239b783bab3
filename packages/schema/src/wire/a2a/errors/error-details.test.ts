import { expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../../errors/error-codes.js";
import { ProtocolError } from "../../../errors/protocol-error.js";
import { failAt } from "../../../validation/message-json.js";
import { decodeErrorData, encodeErrorData, encodeErrorDetails } from "./error-details.js";

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const STRUCT = "type.googleapis.com/google.protobuf.Struct";

test("the details of an A2A error contain A2A's reason and domain", () => {
  const details = encodeErrorDetails(new ProtocolError("task-not-found", "there is no task t"));

  expect(details).toEqual([
    { "@type": ERROR_INFO, reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org" },
    { "@type": STRUCT, value: { reason: "task-not-found" } },
  ]);
});

test("the details of an error about a field contain the field and its fault", () => {
  let thrown: unknown;
  try {
    failAt("message.role", "expected ROLE_USER or ROLE_AGENT");
  } catch (reason) {
    thrown = reason;
  }

  expect(encodeErrorDetails(thrown as ProtocolError)).toEqual([
    {
      "@type": ERROR_INFO,
      reason: "INVALID_PARAMS",
      domain: "a2a-protocol.org",
      metadata: { path: "message.role" },
    },
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [
        {
          field: "message.role",
          description: "message.role: expected ROLE_USER or ROLE_AGENT",
        },
      ],
    },
    { "@type": STRUCT, value: { path: "message.role", reason: "invalid-message" } },
  ]);
});

test("the details of one of our own errors contain its data unchanged", () => {
  const data = { toolCallId: "call-1", answeredBy: { principal: "local", name: "ide" } };

  const details = encodeErrorDetails(
    new ProtocolError("confirmation-closed", "too late", { data }),
  );

  expect(details).toEqual([
    {
      "@type": ERROR_INFO,
      reason: "CONFIRMATION_CLOSED",
      domain: "dt",
      metadata: { toolCallId: "call-1", answeredBy: '{"principal":"local","name":"ide"}' },
    },
    { "@type": STRUCT, value: { ...data, reason: "confirmation-closed" } },
  ]);
});

test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  "the data of the error %s is the same in both versions of A2A",
  (code) => {
    const error = new ProtocolError(code, "no", { data: { path: "a.b", limit: 3 } });

    const [older, newer] = [encodeErrorData(error), encodeErrorDetails(error)];

    expect(decodeErrorData(newer)).toEqual(decodeErrorData(older));
    expect(decodeErrorData(older)).toEqual({ path: "a.b", limit: 3, reason: code });
  },
);

test.each([
  [
    "an agent that sends only ErrorInfo",
    [{ "@type": ERROR_INFO, reason: "TASK_NOT_FOUND", domain: "x", metadata: { taskId: "t" } }],
    { reason: "TASK_NOT_FOUND", taskId: "t" },
  ],
  [
    "an agent that reports a faulty field",
    [
      { "@type": ERROR_INFO, reason: "INVALID_PARAMS" },
      { fieldViolations: [{ field: "a.b", description: "required" }] },
    ],
    { reason: "INVALID_PARAMS", path: "a.b" },
  ],
  ["an agent that lists empty details", [null, "x", { fieldViolations: [] }], { path: undefined }],
  ["an agent that sends a text", "no", {}],
  ["an agent that sends no data", undefined, {}],
])("decodeErrorData decodes the error data of %s", (_, data, expected) => {
  expect(decodeErrorData(data)).toEqual(expected);
});
