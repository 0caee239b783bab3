import { describe, expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../errors/error-codes.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { encodeErrorDetails } from "./a2a/errors/error-details.js";
import {
  parseRpcRequest,
  parseRpcResponse,
  parseRpcText,
  rpcFailure,
  rpcIdOf,
  rpcRequest,
  rpcSuccess,
} from "./json-rpc.js";

describe("a request", () => {
  test("that is not JSON is refused", () => {
    expect(() => parseRpcText("{")).toThrow(
      expect.objectContaining({ code: "parse-error", message: "the body is not valid JSON" }),
    );
  });

  test.each(["text", 7, null])("with the id %j is decoded unchanged", (id) => {
    const request = rpcRequest(id, "tasks/get", { id: "t" });
    const expected = { id, method: "tasks/get", params: { id: "t" } };

    expect(parseRpcRequest(request)).toEqual(expected);
    expect(parseRpcText(JSON.stringify(request))).toEqual(expected);
  });

  test("without an id has the id null", () => {
    expect(parseRpcRequest({ jsonrpc: "2.0", method: "x" })).toEqual({
      id: null,
      method: "x",
      params: undefined,
    });
  });

  test.each<[unknown, ErrorCode, string]>([
    ['{"jsonrpc":"2.0","method":"x"}', "invalid-request", "expected a JSON-RPC request object"],
    [[], "invalid-request", "send one request at a time; A2A has no batches"],
    [null, "invalid-request", "expected a JSON-RPC request object"],
    [{ method: "x" }, "invalid-request", 'jsonrpc: expected "2.0"'],
    [
      { jsonrpc: "2.0", id: 0.5, method: "x" },
      "invalid-request",
      "id: expected a string, a whole number or null",
    ],
    [
      { jsonrpc: "2.0", id: {}, method: "x" },
      "invalid-request",
      "id: expected a string, a whole number or null",
    ],
    [{ jsonrpc: "2.0", id: 1 }, "invalid-request", "method: expected the name of a method"],
    [{ jsonrpc: "2.0", method: "" }, "invalid-request", "method: expected the name of a method"],
  ])("that is %j is refused", (body, code, message) => {
    expect(() => parseRpcRequest(body)).toThrow(expect.objectContaining({ code, message }));
  });

  test("with an id of 257 characters is refused", () => {
    const body = { jsonrpc: "2.0", id: "x".repeat(257), method: "x" };
    const message = "id: expected at most 256 characters";

    expect(() => parseRpcRequest(body)).toThrow(
      expect.objectContaining({ code: "invalid-request", message }),
    );
  });

  test.each([
    ["a text as its id", { id: "a" }, "a"],
    ["the longest allowed id", { id: "x".repeat(256) }, "x".repeat(256)],
    ["an id that is too long", { id: "x".repeat(257) }, null],
    ["a number as its id", { id: 3 }, 3],
    ["an object as its id", { id: {} }, null],
    ["no id", {}, null],
    ["a body that is not an object", "x", null],
  ])("with %s gets an error with the same id, or with null if the id is invalid", (_, body, id) => {
    expect(rpcIdOf(body)).toBe(id);
  });
});

describe("a response", () => {
  test("that succeeds returns its result, of any type", () => {
    expect(parseRpcResponse(rpcSuccess(1, { id: "t" }))).toEqual({ id: "t" });
    expect(parseRpcResponse(rpcSuccess(1, null))).toBeNull();
  });

  test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    "that fails with %s throws the error",
    (code) => {
      const sent = new ProtocolError(code, "no", { data: { path: "a.b" } });

      const json = JSON.parse(JSON.stringify(rpcFailure(1, sent)));

      expect(json.error).toEqual({
        code: ERROR_CODES[code].jsonRpc,
        message: "no",
        data: { reason: code, path: "a.b" },
      });
      expect(() => parseRpcResponse(json)).toThrow(
        expect.objectContaining({ name: "ProtocolError", code, message: "no" }),
      );
    },
  );

  test("of A2A 1.0 that fails has typed details, which are read like an object", () => {
    const sent = new ProtocolError("confirmation-closed", "no", { data: { toolCallId: "c" } });

    const json = JSON.parse(JSON.stringify(rpcFailure(1, sent, "1.0")));

    expect(json.error.data).toEqual(encodeErrorDetails(sent));
    expect(() => parseRpcResponse(json)).toThrow(
      expect.objectContaining({
        code: "confirmation-closed",
        data: { toolCallId: "c", reason: "confirmation-closed", jsonRpcCode: -32050 },
      }),
    );
  });

  test("to an internal fault hides the details", () => {
    const json = rpcFailure(1, new Error("password is hunter2"));

    expect(json).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32603,
        message: "the server could not finish the request",
        data: { reason: "internal" },
      },
    });
  });

  test("to an error with a code of another version of this package is an internal fault", () => {
    const newer = Object.assign(new Error("x"), { name: "ProtocolError", code: "invented-later" });

    expect(rpcFailure(1, newer)).toMatchObject({ error: { code: -32603 } });
  });

  test("keeps the reason of its error, even if the error's data has another reason", () => {
    const error = new ProtocolError("agent-busy", "later", { data: { reason: "forged" } });

    expect(rpcFailure(1, error)).toMatchObject({ error: { data: { reason: "agent-busy" } } });
  });

  test("with an unknown code is an internal error that keeps the number", () => {
    const json = { jsonrpc: "2.0", id: 1, error: { code: -31000, message: "odd" } };

    expect(() => parseRpcResponse(json)).toThrow(
      expect.objectContaining({ code: "internal", message: "odd", data: { jsonRpcCode: -31000 } }),
    );
  });

  test.each([null, "x", {}, { jsonrpc: "2.0", id: 1 }, { jsonrpc: "1.0", result: 1 }])(
    "that is %j is refused",
    (json) => {
      expect(() => parseRpcResponse(json)).toThrow(
        expect.objectContaining({ code: "parse-error" }),
      );
    },
  );
});

test("every error code has its own JSON-RPC number", () => {
  const numbers = Object.values(ERROR_CODES).map(({ jsonRpc }) => jsonRpc);

  expect(new Set(numbers).size).toBe(numbers.length);
});
