import { randomUUID } from "node:crypto";
import type { MessageSendParams } from "@a2a-js/sdk-0.3";
import { type Client, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk-0.3/client";
import { GrpcTransportFactory } from "@a2a-js/sdk-0.3/client/grpc";

/** Opens the official client of A2A 0.3. It finds the address of the given transport in the agent card. */
export async function openSdkClient(url: string, transport: string): Promise<Client> {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new GrpcTransportFactory()],
    preferredTransports: [transport],
  });
  return await new ClientFactory(options).createFromUrl(url);
}

/** Builds a message to send, in the JSON of A2A 0.3. The client converts it to the form of its transport. */
export function sendParams(text: string, fields: object = {}): MessageSendParams {
  const parts = [{ kind: "text" as const, text }];
  return {
    message: { kind: "message", messageId: randomUUID(), role: "user", parts, ...fields },
  };
}

/** Reads a stream to its end, and returns its events. */
export async function readEvents<TEvent>(events: AsyncIterable<TEvent>): Promise<TEvent[]> {
  const read: TEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}
