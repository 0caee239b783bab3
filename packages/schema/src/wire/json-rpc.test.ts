import { expect, test } from "vitest";
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

test("a request that is not JSON is refused", () => {
  expect(() => parseRpcText("{")).toThrow(
    expect.objectContaining({ code: "parse-error", message: "the body is not valid JSON" }),
  );
});

test.each(["text", 7, null])("a request with the id %j is decoded unchanged", (id) => {
  const request = rpcRequest(id, "tasks/get", { id: "t" });
  const expected = { id, method: "tasks/get", params: { id: "t" } };

  expect(parseRpcRequest(request)).toEqual(expected);
  expect(parseRpcText(JSON.stringify(request))).toEqual(expected);
});

test("a request without an id is decoded with the id null", () => {
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
])("the request %j is refused", (body, code, message) => {
  expect(() => parseRpcRequest(body)).toThrow(expect.objectContaining({ code, message }));
});

test("a request with an id of 257 characters is refused", () => {
  const body = { jsonrpc: "2.0", id: "x".repeat(257), method: "x" };
  const message = "id: expected at most 256 characters";

  expect(() => parseRpcRequest(body)).toThrow(
    expect.objectContaining({ code: "invalid-request", message }),
  );
});

test.each([
  ["the request's id if that is a string", { id: "a" }, "a"],
  ["the request's id if that has the maximum length", { id: "x".repeat(256) }, "x".repeat(256)],
  ["null if the request's id is too long", { id: "x".repeat(257) }, null],
  ["the request's id if that is a number", { id: 3 }, 3],
  ["null if the request's id is an object", { id: {} }, null],
  ["null if the request has no id", {}, null],
  ["null if the request is not an object", "x", null],
])("the id of an error response is %s", (_, body, id) => {
  expect(rpcIdOf(body)).toBe(id);
});

test("a successful response is parsed as its result, of any type", () => {
  expect(parseRpcResponse(rpcSuccess(1, { id: "t" }))).toEqual({ id: "t" });
  expect(parseRpcResponse(rpcSuccess(1, null))).toBeNull();
});

test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  "parseRpcResponse throws the error of a response that failed with %s",
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

test("the typed error details of A2A 1.0 are parsed like the error data of A2A 0.3", () => {
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

test("the response to an internal fault hides the details", () => {
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

test("an error with a code of another version of this package is sent as an internal fault", () => {
  const newer = Object.assign(new Error("x"), { name: "ProtocolError", code: "invented-later" });

  expect(rpcFailure(1, newer)).toMatchObject({ error: { code: -32603 } });
});

test("a response keeps the reason of its error, even if the error's data has another reason", () => {
  const error = new ProtocolError("agent-busy", "later", { data: { reason: "forged" } });

  expect(rpcFailure(1, error)).toMatchObject({ error: { data: { reason: "agent-busy" } } });
});

test("a response with an unknown error code is an internal error that keeps the number", () => {
  const json = { jsonrpc: "2.0", id: 1, error: { code: -31000, message: "odd" } };

  expect(() => parseRpcResponse(json)).toThrow(
    expect.objectContaining({ code: "internal", message: "odd", data: { jsonRpcCode: -31000 } }),
  );
});

test.each([null, "x", {}, { jsonrpc: "2.0", id: 1 }, { jsonrpc: "1.0", result: 1 }])(
  "the response %j is refused",
  (json) => {
    expect(() => parseRpcResponse(json)).toThrow(expect.objectContaining({ code: "parse-error" }));
  },
);

test("no two error codes have the same JSON-RPC number", () => {
  const numbers = Object.values(ERROR_CODES).map(({ jsonRpc }) => jsonRpc);

  expect(new Set(numbers).size).toBe(numbers.length);
});
