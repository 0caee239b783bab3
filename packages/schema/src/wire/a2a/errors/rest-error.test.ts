import { expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../../errors/error-codes.js";
import { ProtocolError } from "../../../errors/protocol-error.js";
import { encodeRestError } from "./rest-error.js";

test("an error of A2A has A2A's status and reason", () => {
  expect(encodeRestError(new ProtocolError("task-not-found", "there is no task t"))).toEqual({
    httpStatus: 404,
    body: {
      error: {
        code: 404,
        status: "NOT_FOUND",
        message: "there is no task t",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "TASK_NOT_FOUND",
            domain: "a2a-protocol.org",
          },
          {
            "@type": "type.googleapis.com/google.protobuf.Struct",
            value: { reason: "task-not-found" },
          },
        ],
      },
    },
  });
});

test("an error of our own contains its data twice: as strings and unchanged", () => {
  const data = { toolCallId: "call-1", answeredBy: { principal: "local", name: "ide" } };

  const { httpStatus, body } = encodeRestError(
    new ProtocolError("confirmation-closed", "too late", { data }),
  );

  expect(httpStatus).toBe(409);
  expect(body).toMatchObject({
    error: {
      status: "ABORTED",
      details: [
        {
          reason: "CONFIRMATION_CLOSED",
          domain: "dt",
          metadata: { toolCallId: "call-1", answeredBy: '{"principal":"local","name":"ide"}' },
        },
        { value: { ...data, reason: "confirmation-closed" } },
      ],
    },
  });
});

test("an internal fault is reported without details [SEC-05]", () => {
  expect(encodeRestError(new Error("password: hunter2"))).toMatchObject({
    httpStatus: 500,
    body: { error: { status: "INTERNAL", message: "the server could not finish the request" } },
  });
});

test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  "the status of the error %s has a google.rpc name",
  (code) => {
    const { body } = encodeRestError(new ProtocolError(code, "x"));

    expect(body).not.toMatchObject({ error: { status: "UNKNOWN" } });
  },
);
