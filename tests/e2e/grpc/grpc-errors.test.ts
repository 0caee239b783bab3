import { SendMessageRequest } from "@a2a-js/sdk";
import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { DEVELOPMENT_TOOL_URI, ProtocolError, SESSION_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { createGrpcFactory, openRawGrpc, readAll } from "./grpc-client.js";
import { openGrpcServer, prompt } from "./grpc-server.js";

/** Decodes the typed details of a failed call. */
function detailsOf(error: ServiceError) {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const decoded = decodeStatus(bytes as Buffer);
  const find = (name: string) =>
    decoded.details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/${name}`)?.value;
  const struct = find("google.protobuf.Struct");
  return {
    code: decoded.code,
    message: decoded.message,
    info: decodeErrorInfo(find("google.rpc.ErrorInfo") ?? Buffer.alloc(0)),
    hasField: find("google.rpc.BadRequest") !== undefined,
    data: struct && toJson(StructSchema, fromBinary(StructSchema, struct)),
  };
}

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  return await call.then(
    (answer) => expect.fail(`the call succeeded: ${JSON.stringify(answer)}`),
    (reason) => reason,
  );
}

test("a request with a wrong field is refused with typed details that contain the field's path", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);
  const message = { messageId: "", role: "ROLE_USER", parts: [{ text: "x" }] };

  const error = await failureOf(client.send("sendMessage", { message }));

  expect(error).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining("message.messageId"),
  });
  expect(detailsOf(error)).toEqual({
    code: status.INVALID_ARGUMENT,
    message: error.details,
    info: {
      reason: "INVALID_PARAMS",
      domain: "a2a-protocol.org",
      metadata: { path: "message.messageId" },
    },
    hasField: true,
    data: { path: "message.messageId", reason: "invalid-message" },
  });
});

test.each([
  [
    "a message without a role over gRPC",
    { message: { messageId: "m", parts: [{ text: "x" }] } },
    "message.role",
  ],
  ["a part without content over gRPC", prompt("", { parts: [{}] }), "message.parts[0]"],
  ["an empty request", {}, "message"],
])("%s is refused as INVALID_ARGUMENT with the path of the field", async (_, request, path) => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);

  const unary = await failureOf(client.send("sendMessage", request));
  const stream = await failureOf(readAll(client.stream("sendStreamingMessage", request)));

  for (const error of [unary, stream]) {
    expect(error.code).toBe(status.INVALID_ARGUMENT);
    expect(detailsOf(error)).toMatchObject({ hasField: true, data: { path } });
  }
  expect(served.faults).toEqual([]);
});

test("a gRPC request that is not valid protobuf is refused as a parse error", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);

  const error = await failureOf(client.send("sendMessage", Buffer.from("ffffffff", "hex")));

  expect(error).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: "the request is not a valid message of /lf.a2a.v1.A2AService/SendMessage",
  });
  expect(detailsOf(error).data).toEqual({ reason: "parse-error" });
});

test("after a gRPC request with too deeply nested metadata was refused, the next request is accepted [SEC-09]", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);
  const { sendMessage } = A2AService;
  const encoded = sendMessage.requestSerialize(SendMessageRequest.fromJSON(prompt("x")));
  const entry = Buffer.concat([field(1, Buffer.from("deep")), field(2, nestLists(50_000))]);
  const metadata = field(2, field(10, entry));

  const error = await failureOf(client.send("sendMessage", Buffer.concat([encoded, metadata])));
  const answer = await client.send("sendMessage", prompt("still here"));

  expect(error.code).toBe(status.INVALID_ARGUMENT);
  expect(answer.task.status.state).toBe("TASK_STATE_COMPLETED");
  expect(served.faults).toEqual([]);
});

/** Encodes nested lists. Field 6 of a Value is a ListValue, and field 1 of a ListValue is a Value. */
function nestLists(levels: number): Buffer {
  const heads: Buffer[] = [];
  let length = 0;
  for (let level = 0; level < levels; level += 1) {
    const head = fieldHead(level % 2 === 0 ? 6 : 1, length);
    heads.push(head);
    length += head.length;
  }
  return Buffer.concat(heads.reverse());
}

/** Encodes a length-delimited field of protobuf. */
function field(fieldNumber: number, value: Buffer): Buffer {
  return Buffer.concat([fieldHead(fieldNumber, value.length), value]);
}

function fieldHead(fieldNumber: number, length: number): Buffer {
  const bytes = [(fieldNumber << 3) | 2];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

test("gRPC errors have the status and the reason that A2A defines", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);
  const { task } = await client.send("sendMessage", prompt("hello"));
  const { id } = task;

  const missing = await failureOf(client.send("getTask", { id: "none" }));
  const ended = await failureOf(readAll(client.stream("subscribeToTask", { id })));
  const cursor = await failureOf(
    readAll(client.stream("subscribeToTask", { id }, { headers: { "last-event-id": "x" } })),
  );
  const version = await failureOf(
    client.send("getTask", { id }, { headers: { "a2a-version": "0.3" } }),
  );

  const summary = [missing, ended, version].map((error) => [
    error.code,
    detailsOf(error).info.reason,
  ]);
  expect(summary).toEqual([
    [status.NOT_FOUND, "TASK_NOT_FOUND"],
    [status.FAILED_PRECONDITION, "UNSUPPORTED_OPERATION"],
    [status.FAILED_PRECONDITION, "VERSION_NOT_SUPPORTED"],
  ]);
  expect(detailsOf(cursor).info.domain).not.toBe("");
});

test("the official client throws the SDK's error classes for gRPC errors", async () => {
  await using served = await openGrpcServer({ push: false });
  const client = await createGrpcFactory().createFromUrl(served.url);
  const config = { tenant: "", taskId: "none", id: "x" };

  await expect(client.getTask({ tenant: "", id: "none" } as never)).rejects.toMatchObject({
    name: "TaskNotFoundError",
    status: status.NOT_FOUND,
  });
  // biome-ignore lint/suspicious/noExplicitAny: the client asks only if the card declares the capability.
  const { transport } = client as any;
  await expect(transport.getTaskPushNotificationConfig(config)).rejects.toMatchObject({
    name: "PushNotificationNotSupportedError",
  });
});

test("a second answer over gRPC is refused with the name of the client that answered [CLI-14]", async () => {
  await using served = await openGrpcServer({
    script: async (turn) => {
      await turn.ask(buildQuestion());
    },
  });
  using client = openRawGrpc(served.address);
  const headers = { "a2a-extensions": DEVELOPMENT_TOOL_URI, "x-dt-client": "ide" };
  const { task } = await client.send("sendMessage", served.firstPrompt("go"), { headers });
  const call = task.status.message.parts[0].data;
  const data = { tool_call_id: call.tool_call_id, selected_option_id: "proceed_once" };
  const answer = () =>
    prompt("", { taskId: task.id, contextId: task.contextId, parts: [{ data }] });

  await client.send("sendMessage", answer(), { headers });
  const error = await failureOf(client.send("sendMessage", answer(), { headers }));

  expect(error.code).toBe(status.ABORTED);
  expect(detailsOf(error).data).toMatchObject({
    reason: "confirmation-closed",
    answeredBy: { name: "ide" },
  });
});

test("gRPC metadata sets the extensions and the request id, and the response returns both", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);
  const headers = {
    "a2a-version": "1.0",
    "a2a-extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}`,
    "x-request-id": "mine",
  };
  const answered = async (options: object) => {
    const stream = client.stream("sendStreamingMessage", served.firstPrompt("x"), options);
    let metadata = new Metadata();
    stream.on("metadata", (received) => {
      metadata = received;
    });
    await readAll(stream);
    return metadata.getMap();
  };

  const active = await answered({ headers });
  const plain = await answered({});

  expect(active).toMatchObject({
    "a2a-extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}`,
    "x-request-id": "mine",
  });
  // Without the header, the settings in the message activate the RFC's extension.
  expect(plain["a2a-extensions"]).toBe(DEVELOPMENT_TOOL_URI);
});

test("a gRPC call with a foreign authority or origin is refused [SEC-01]", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);
  using foreign = openRawGrpc(served.address, { "grpc.default_authority": "evil.example" });

  const host = await failureOf(foreign.send("getTask", { id: "x" }));
  const page = await failureOf(
    readAll(
      client.stream(
        "subscribeToTask",
        { id: "x" },
        { headers: { origin: "https://evil.example" } },
      ),
    ),
  );

  for (const error of [host, page]) {
    expect(error.code).toBe(status.PERMISSION_DENIED);
    expect(detailsOf(error).info).toMatchObject({ reason: "FORBIDDEN", domain: "dt" });
  }
});

test("gRPC metadata authenticates a caller, and a caller cannot get the tasks of other users", async () => {
  const authenticate = ({ headers }: { headers: Record<string, unknown> }) => {
    if (typeof headers.authorization !== "string")
      throw new ProtocolError("forbidden", "a token is required");
    const user = headers.authorization.replace("Bearer ", "");
    return { user, name: user, role: "admin" as const };
  };
  await using served = await openGrpcServer({ authenticate: authenticate as never });
  using client = openRawGrpc(served.address);
  const as = (user: string) => ({ headers: { authorization: `Bearer ${user}` } });

  const { task } = await client.send("sendMessage", prompt("mine"), as("ada"));
  const own = await client.send("getTask", { id: task.id }, as("ada"));
  const other = await failureOf(client.send("getTask", { id: task.id }, as("bob")));
  const nobody = await failureOf(client.send("getTask", { id: task.id }));

  expect(own.id).toBe(task.id);
  expect([other.code, nobody.code]).toEqual([status.NOT_FOUND, status.PERMISSION_DENIED]);
});

test("a gRPC error for an internal fault does not contain the message of the fault [SEC-05]", async () => {
  await using served = await openGrpcServer({
    openAgent: async () => {
      throw new Error("password: hunter2");
    },
  });
  using client = openRawGrpc(served.address);

  const error = await failureOf(client.send("sendMessage", prompt("x")));

  expect(JSON.stringify([error.details, detailsOf(error)])).not.toContain("hunter2");
});

test("a call of an unknown gRPC method is refused as UNIMPLEMENTED", async () => {
  await using served = await openGrpcServer();
  using client = openRawGrpc(served.address);
  const same = (bytes: Buffer) => bytes;

  const unknown = await failureOf(
    new Promise((resolve, reject) =>
      client.channel.makeUnaryRequest(
        "/lf.a2a.v1.A2AService/Nothing",
        same,
        same,
        Buffer.alloc(0),
        (error, answer) => (error === null ? resolve(answer) : reject(error)),
      ),
    ),
  );

  expect(unknown.code).toBe(status.UNIMPLEMENTED);
});
