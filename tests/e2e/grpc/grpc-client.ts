import {
  GetTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import {
  type CallOptions,
  type ChannelOptions,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
} from "@grpc/grpc-js";

/** Creates a factory of official clients that use gRPC if the agent card lists it. */
export function createGrpcFactory(): ClientFactory {
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new GrpcTransportFactory()],
      preferredTransports: ["GRPC"],
    }),
  );
}

/** Options of a call, with headers that are sent as metadata. */
export interface RawCallOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign messages.
type Answer = any;

/**
 * Opens a channel of grpc-js with A2A's service, for tests that look at statuses and metadata. Requests are bytes, or
 * ProtoJSON of the method's message.
 */
export function openRawGrpc(address: string, options: ChannelOptions = {}) {
  const channel = new Client(address, credentials.createInsecure(), options);
  return {
    channel,
    /** Calls a method that returns one message. Rejects with the error of a failed call. */
    send(name: MethodName, request: object, call: RawCallOptions = {}): Promise<Answer> {
      const { headers, ...callOptions } = call;
      const { path, encode, decode } = METHODS[name];
      return new Promise((resolve, reject) => {
        channel.makeUnaryRequest(
          path,
          encode,
          decode,
          request,
          toMetadata(headers),
          callOptions,
          (error, response) => (error === null ? resolve(response) : reject(error)),
        );
      });
    },
    /** Calls a method that returns a stream. */
    stream(
      name: MethodName,
      request: object,
      { headers, ...callOptions }: RawCallOptions = {},
    ): ClientReadableStream<Answer> {
      const { path, encode, decode } = METHODS[name];
      return channel.makeServerStreamRequest(
        path,
        encode,
        decode,
        request,
        toMetadata(headers),
        callOptions,
      );
    },
    [Symbol.dispose]() {
      channel.close();
    },
  };
}

type MethodName = keyof typeof METHODS;

const METHODS = {
  sendMessage: method(A2AService.sendMessage, SendMessageRequest, SendMessageResponse),
  sendStreamingMessage: method(A2AService.sendStreamingMessage, SendMessageRequest, StreamResponse),
  getTask: method(A2AService.getTask, GetTaskRequest, Task),
  subscribeToTask: method(A2AService.subscribeToTask, SubscribeToTaskRequest, StreamResponse),
};

interface Definition<TRequest, TResponse> {
  readonly path: string;
  requestSerialize(request: TRequest): Buffer;
  responseDeserialize(bytes: Buffer): TResponse;
}

function method<TRequest, TResponse>(
  { path, requestSerialize, responseDeserialize }: Definition<TRequest, TResponse>,
  request: { fromJSON(json: unknown): TRequest },
  response: { toJSON(message: TResponse): unknown },
) {
  return {
    path,
    encode: (json: object) =>
      Buffer.isBuffer(json) ? json : requestSerialize(request.fromJSON(json)),
    decode: (bytes: Buffer) => response.toJSON(responseDeserialize(bytes)),
  };
}

function toMetadata(values: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values)) metadata.set(key, value);
  return metadata;
}

/** Reads a stream to its end. Rejects with the error of a failed call. */
export async function readAll(stream: AsyncIterable<Answer>): Promise<readonly Answer[]> {
  const frames: Answer[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}

/** Reads a stream up to the first frame that fulfils a condition. The stream stays open. */
export async function readUntil(
  stream: ClientReadableStream<Answer>,
  isFound: (frame: Answer) => boolean,
): Promise<readonly Answer[]> {
  const frames: Answer[] = [];
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) throw new Error(`the stream ended early: ${JSON.stringify(frames)}`);
    frames.push(value);
    if (isFound(value)) return frames;
  }
}
