import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";
import { ProtocolError } from "@dt/schema";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { openGrpcServer } from "../grpc/grpc-server.js";
import { jsonOf } from "../ws-client.js";
import { openSdkClient, readEvents, sendParams } from "./open-sdk-client.js";

type MethodName = keyof typeof LegacyA2AService;

/** Sends raw bytes to a method that must fail, and returns the error of the call. */
async function failureOf(
  address: string,
  name: MethodName,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<ServiceError> {
  const channel = new Client(address, credentials.createInsecure());
  const metadata = Metadata.fromHttp2Headers(headers);
  const same = (value: Buffer) => value;
  const { path } = LegacyA2AService[name];
  return await new Promise((resolve, reject) => {
    channel.makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, (error) => {
      channel.close();
      if (error === null) reject(new Error("the call succeeded"));
      else resolve(error);
    });
  });
}

/** Returns the reason from the typed details of a failed call. */
function reasonOf({ metadata }: ServiceError): string {
  const [bytes] = metadata.get("grpc-status-details-bin");
  const [info] = decodeStatus(bytes as Buffer).details;
  return decodeErrorInfo(info?.value ?? Buffer.alloc(0)).reason;
}

const getTask = (name: string) =>
  LegacyA2AService.getTask.requestSerialize({ name, historyLength: 0 });
const send = (request: object | undefined) =>
  LegacyA2AService.sendMessage.requestSerialize({
    request: request as never,
    configuration: undefined,
    metadata: undefined,
  });
const MESSAGE = { messageId: "m", contextId: "", taskId: "", metadata: undefined, extensions: [] };

test("the card of A2A 0.3 lists gRPC with host and port", async () => {
  await using served = await openGrpcServer();

  const card = await jsonOf(await fetch(`${served.url}.well-known/agent-card.json`));

  expect(card.additionalInterfaces.at(-1)).toEqual({ url: served.address, transport: "GRPC" });
});

const refusals: readonly (readonly [string, MethodName, Uint8Array, string, string])[] = [
  ["a request for an unknown task", "getTask", getTask("tasks/no"), "NOT_FOUND", "TASK_NOT_FOUND"],
  ["a task name without `tasks/`", "getTask", getTask("no"), "INVALID_ARGUMENT", "INVALID_PARAMS"],
  [
    "a body that is not protobuf",
    "sendMessage",
    Buffer.from("ffff", "hex"),
    "INVALID_ARGUMENT",
    "INVALID_PARAMS",
  ],
  ["an empty request", "sendMessage", send(undefined), "INVALID_ARGUMENT", "INVALID_PARAMS"],
  [
    "a message without a role",
    "sendMessage",
    send({ ...MESSAGE, role: 0, content: [] }),
    "INVALID_ARGUMENT",
    "INVALID_PARAMS",
  ],
  [
    "a part without content",
    "sendMessage",
    send({ ...MESSAGE, role: 1, content: [{}] }),
    "INVALID_ARGUMENT",
    "INVALID_PARAMS",
  ],
  [
    "a request for the extended card",
    "getAgentCard",
    Buffer.alloc(0),
    "UNIMPLEMENTED",
    "UNSUPPORTED_OPERATION",
  ],
];

test.each(refusals)(
  "%s is refused with a gRPC status and typed details",
  async (_, name, bytes, code, reason) => {
    await using served = await openGrpcServer();

    const error = await failureOf(served.address, name, bytes);

    expect([status[error.code], reasonOf(error)]).toEqual([code, reason]);
    expect(served.faults).toEqual([]);
  },
);

test("the gRPC service of A2A 0.3 refuses a request that names A2A 1.0 [RFC-05]", async () => {
  await using served = await openGrpcServer();

  const error = await failureOf(served.address, "getTask", getTask("tasks/no"), {
    "a2a-version": "1.0",
  });
  const same = await failureOf(served.address, "getTask", getTask("tasks/no"), {
    "a2a-version": "0.3",
  });

  expect([reasonOf(error), reasonOf(same)]).toEqual(["VERSION_NOT_SUPPORTED", "TASK_NOT_FOUND"]);
});

test("a gRPC message above the size limit is refused with RESOURCE_EXHAUSTED [SRV-10]", async () => {
  await using served = await openGrpcServer({ maxBodyBytes: 1024 });
  const client = await openSdkClient(served.url, "GRPC");

  const sending = client.sendMessage(sendParams("x".repeat(4096)));

  await expect(sending).rejects.toThrow(/RESOURCE_EXHAUSTED|8 /);
});

test("a server without push refuses to list push configs, with the status UNIMPLEMENTED", async () => {
  await using served = await openGrpcServer({ push: false });
  const client = await openSdkClient(served.url, "GRPC");
  const { id } = Object(await client.sendMessage(sendParams("hello")));

  const error = await failureOf(
    served.address,
    "listTaskPushNotificationConfig",
    LegacyA2AService.listTaskPushNotificationConfig.requestSerialize({
      parent: `tasks/${id}`,
      pageSize: 0,
      pageToken: "",
    }),
  );

  expect(status[error.code]).toBe("UNIMPLEMENTED");
});

test("a gRPC call without a valid token is refused as PERMISSION_DENIED", async () => {
  await using served = await openGrpcServer({
    authenticate({ headers }) {
      if (headers.authorization === "Bearer secret") {
        return { user: "ann", name: "ann", role: "admin" };
      }
      throw new ProtocolError("forbidden", "send the token");
    },
  });

  const error = await failureOf(served.address, "getTask", getTask("tasks/no"));
  const known = await failureOf(served.address, "getTask", getTask("tasks/no"), {
    authorization: "Bearer secret",
  });

  expect([error.code, known.code]).toEqual([status.PERMISSION_DENIED, status.NOT_FOUND]);
});

test("when a server stops, its gRPC streams end with the status UNAVAILABLE (14)", async () => {
  await using served = await openGrpcServer({
    script: async (turn) => {
      await turn.say("one");
      await new Promise(() => {});
    },
  });
  const client = await openSdkClient(served.url, "GRPC");
  const stream = client.sendMessageStream(sendParams("hello"));
  await stream.next();

  const rest = readEvents(stream);
  void served.server.close();

  await expect(rest).rejects.toThrow(/14 the server is stopping/);
});
