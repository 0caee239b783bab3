import { randomUUID } from "node:crypto";
import { createConversation } from "../converse.mjs";
import { toSeen } from "../to-seen.mjs";

/**
 * Opens the official SDK's client of A2A 0.3 or 0.2. The methods of both clients have the same parameters.
 * The client of 0.2 supports only JSON-RPC, and its methods return whole JSON-RPC responses.
 */
export async function openClient({ client: { ClientFactory, A2AClient, ...sdk }, grpc }, setup) {
  const client = ClientFactory
    ? await new ClientFactory({ transports: [createTransport()] }).createFromUrl(setup.url)
    : new A2AClient(setup.url);

  // Creates the only transport that the client may use. The client fails if the agent card does not list
  // this transport.
  function createTransport() {
    if (setup.binding === "REST") return new sdk.RestTransportFactory();
    if (setup.binding === "gRPC") return new grpc.GrpcTransportFactory();
    return new sdk.JsonRpcTransportFactory();
  }

  const taskSeen = async (response) => toSeen(resultOf(await response));
  const methods = {
    send: (message) => taskSeen(client.sendMessage(toParams(message))),
    async *stream(message) {
      for await (const event of client.sendMessageStream(toParams(message))) yield toSeen(event);
    },
    cancel: (id) => taskSeen(client.cancelTask({ id })),
    async *resubscribe(id) {
      for await (const event of client.resubscribeTask({ id })) yield toSeen(event);
    },
    async setPush(taskId, pushNotificationConfig) {
      resultOf(await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig }));
    },
    async getPush(id, pushNotificationConfigId) {
      const params = { id, pushNotificationConfigId };
      return resultOf(await client.getTaskPushNotificationConfig(params)).pushNotificationConfig;
    },
  };
  const lists = client.listTaskPushNotificationConfig && {
    async listPush(id) {
      const configs = await client.listTaskPushNotificationConfig({ id });
      return configs.map(({ pushNotificationConfig }) => pushNotificationConfig);
    },
    async deletePush(id, pushNotificationConfigId) {
      await client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId });
    },
  };
  return { ...methods, ...lists, converse: () => createConversation(methods) };
}

function toParams({ text, data, ...fields }) {
  const part = text === undefined ? { kind: "data", data } : { kind: "text", text };
  const message = { kind: "message", messageId: randomUUID(), role: "user", parts: [part] };
  return { message: { ...message, ...fields }, configuration: { blocking: true } };
}

function resultOf(response) {
  if (!("jsonrpc" in response)) return response;
  if (response.error) throw new Error(`${response.error.code}: ${response.error.message}`);
  return response.result;
}
