import { randomUUID } from "node:crypto";
import { createConversation } from "../converse.mjs";
import { toSeen } from "../to-seen.mjs";

const PROTOCOLS = { "JSON-RPC": "JSONRPC", REST: "HTTP+JSON", gRPC: "GRPC" };

/** Opens the official SDK's client of A2A 1.0 with one binding. */
export async function openClient(
  { sdk, client: { ClientFactory, ClientFactoryOptions }, grpc },
  setup,
) {
  const protocol = PROTOCOLS[setup.binding];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new grpc.GrpcTransportFactory()],
    preferredTransports: [protocol],
  });
  const client = await new ClientFactory(options).createFromUrl(setup.url);
  if (client.transport.protocolName !== protocol) {
    throw new Error(`the client chose ${client.transport.protocolName} instead of ${protocol}`);
  }
  const taskSeen = (task) => toSeen(sdk.Task.toJSON(task));
  const request = (message) => sdk.SendMessageRequest.fromJSON({ message: toMessage(message) });
  const withExtensions = ({ extensions = [] }) =>
    extensions.length === 0
      ? undefined
      : { serviceParameters: { "A2A-Extensions": extensions.join(", ") } };
  const methods = {
    async send(message) {
      return taskSeen(await client.sendMessage(request(message), withExtensions(message)));
    },
    async *stream(message) {
      const events = client.sendMessageStream(request(message), withExtensions(message));
      for await (const event of events) yield toSeen(sdk.StreamResponse.toJSON(event));
    },
    async cancel(id) {
      return taskSeen(await client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id })));
    },
    async *resubscribe(id) {
      const events = client.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id }));
      for await (const event of events) yield toSeen(sdk.StreamResponse.toJSON(event));
    },
    async list(filter) {
      const { tasks, nextPageToken } = await client.listTasks(
        sdk.ListTasksRequest.fromJSON(filter),
      );
      return { tasks: tasks.map(taskSeen), nextPageToken };
    },
    async setPush(taskId, config) {
      const params = sdk.TaskPushNotificationConfig.fromJSON({ ...config, taskId });
      await client.createTaskPushNotificationConfig(params);
    },
    async getPush(taskId, id) {
      const params = sdk.GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id });
      return await client.getTaskPushNotificationConfig(params);
    },
    async listPush(taskId) {
      const params = sdk.ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
      return (await client.listTaskPushNotificationConfig(params)).configs;
    },
    async deletePush(taskId, id) {
      const params = sdk.DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id });
      await client.deleteTaskPushNotificationConfig(params);
    },
  };
  return { ...methods, converse: () => createConversation(methods) };
}

function toMessage({ text, data, ...fields }) {
  const part = text === undefined ? { data } : { text };
  return { messageId: randomUUID(), role: "ROLE_USER", parts: [part], ...fields };
}
