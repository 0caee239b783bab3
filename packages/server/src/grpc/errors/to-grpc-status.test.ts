import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { ERROR_CODES, type ErrorCode, ProtocolError } from "@dt/schema";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { encodeStatus } from "./encode-status.js";
import { type GrpcStatus, toGrpcStatus } from "./to-grpc-status.js";

function decodeDetails({ metadata }: GrpcStatus) {
  const [bytes] = metadata.get("grpc-status-details-bin");
  return decodeStatus(bytes as Buffer);
}

test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  "the error code %s has a gRPC status and a reason",
  (code) => {
    const sent = toGrpcStatus(new ProtocolError(code, "no", { data: { limit: 3 } }));

    const { code: inDetails, message, details } = decodeDetails(sent);
    expect(status[sent.code]).not.toBe("UNKNOWN");
    expect([inDetails, message]).toEqual([sent.code, "no"]);
    expect(decodeErrorInfo(details[0]?.value ?? Buffer.alloc(0))).toMatchObject({
      reason: expect.stringMatching(/^[A-Z_]+$/),
      metadata: { limit: "3" },
    });
    expect(
      toJson(StructSchema, fromBinary(StructSchema, details[1]?.value ?? Buffer.alloc(0))),
    ).toEqual({ limit: 3, reason: code });
  },
);

test("an error with too much data is sent with only its reason", () => {
  const data = { path: "x".repeat(10_000) };

  const { details } = decodeDetails(
    toGrpcStatus(new ProtocolError("invalid-message", "no", { data })),
  );

  expect(details).toHaveLength(1);
  expect(decodeErrorInfo(details[0]?.value ?? Buffer.alloc(0))).toEqual({
    reason: "INVALID_PARAMS",
    domain: "a2a-protocol.org",
    metadata: {},
  });
});

test("a message is cut to its limit, and half of a surrogate pair is replaced", () => {
  const { details } = toGrpcStatus(new ProtocolError("forbidden", `\ud800${"x".repeat(5_000)}`));

  expect(details).toHaveLength(1024);
  expect(details.startsWith("\ufffdx")).toBe(true);
});

test("a detail of an unknown type is left out", () => {
  const bytes = encodeStatus({ code: 3, message: "no", details: [{ "@type": "x/y.Z" }] });

  expect(decodeStatus(Buffer.from(bytes))).toEqual({ code: 3, message: "no", details: [] });
});
