import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type SecureContextOptions } from "node:tls";
import {
  Server as GrpcJsServer,
  ServerCredentials,
  type ServerOptions,
  type ServiceDefinition,
} from "@grpc/grpc-js";
import type { ConnectionLimit } from "../access/limits/connection-limit.js";
import { TLS_OPTIONS } from "../access/source/tls-options.js";
import type { HttpAppOptions } from "../http/create-http-app.js";
import { createCallLog } from "../logging/call-log.js";
import type { Logger } from "../logging/logger.js";
import { createFrameEncoder } from "../rpc/frames/frame-encoder.js";
import { admitCalls } from "./admit-calls.js";
import { GRPC_V0_3 } from "./bindings/grpc-v0-3.js";
import { GRPC_V1_0 } from "./bindings/grpc-v1-0.js";
import { createGrpcConnections } from "./grpc-connections.js";
import { createOpenStreams } from "./open-streams.js";
import { type GrpcService, serveStream, serveUnary } from "./serve-calls.js";

/** Options of {@link createGrpcServer}. The HTTP app gets the same `services`. */
export interface GrpcServerOptions
  extends Pick<
    HttpAppOptions,
    "services" | "authenticate" | "guard" | "unfinished" | "maxBodyBytes" | "onFault"
  > {
  /** Limits the connections of HTTP and gRPC together. */
  readonly limit: ConnectionLimit;
  readonly logger: Logger;
  /** Certificate and key; absent without TLS. */
  readonly tls?: SecureContextOptions;
  /** Called when a stream begins or ends. */
  onStreamsChange(): void;
}

/** A gRPC server. */
export interface GrpcServer {
  /** Accepts the connections. It does not listen yet. */
  readonly server: Server;
  /** Number of open streams. */
  readonly streamCount: number;
  /** Refuses new calls, and ends streams with a hint to reconnect. Resolves when every call has ended. */
  close(): Promise<void>;
  /** Closes all connections at once. */
  destroy(): void;
}

/** Maximum number of open calls of one connection. The client holds back further calls until one ends. */
const MAX_CALLS = 128;
/** Interval of pings. A connection that does not answer is closed. */
const PING_MS = 30_000;

/** Creates a server for A2A's gRPC services. It uses the same dispatcher, guard and limits as HTTP. */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { services, limit, logger } = options;
  const connections = createGrpcConnections(limit);
  const streams = createOpenStreams(options.onStreamsChange);
  const logOf = (path: string) => createCallLog(logger, services.clock, servicePath(path));
  const calls = new GrpcJsServer({
    ...channelOptions(options),
    interceptors: [admitCalls({ ...options, connections, logOf })],
  });
  for (const binding of [GRPC_V1_0, GRPC_V0_3]) {
    const encodeFrame = createFrameEncoder(binding.encodeFrame);
    addMethods(calls, { ...options, streams, logOf, binding, encodeFrame });
  }
  const injector = calls.createConnectionInjector(ServerCredentials.createInsecure());
  const server = createSocketServer(options, (socket) => {
    socket.on("error", () => {});
    connections.add(socket);
    if (!socket.destroyed) injector.injectConnection(socket);
  });
  server.maxConnections = limit.hardLimit;
  return {
    server,
    get streamCount() {
      return streams.size;
    },
    async close() {
      server.close();
      streams.end();
      await new Promise<void>((resolve) => calls.tryShutdown(() => resolve()));
    },
    destroy() {
      server.close();
      calls.forceShutdown();
      connections.destroy();
    },
  };
}

// TLS ends here and not in the library, because the library cannot count connections, and would never read a
// changed certificate.
function createSocketServer(
  { tls }: GrpcServerOptions,
  onSocket: (socket: Socket) => void,
): Server {
  if (tls === undefined) return createServer({ noDelay: true }, onSocket);
  return createTlsServer(
    { noDelay: true, ...TLS_OPTIONS, ...tls, ALPNProtocols: ["h2"] },
    onSocket,
  );
}

function channelOptions({ maxBodyBytes }: GrpcServerOptions): ServerOptions {
  return {
    "grpc.max_receive_message_length": maxBodyBytes,
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": MAX_CALLS,
    "grpc.keepalive_time_ms": PING_MS,
    "grpc.enable_channelz": 0,
  };
}

// Registers all methods. The library gets and returns bytes, so that an unreadable request gets our error, and a frame
// is encoded only once for all streams.
function addMethods(calls: GrpcJsServer, service: GrpcService): void {
  const same = (bytes: Buffer) => bytes;
  for (const method of service.binding.methods) {
    const definition: ServiceDefinition = {
      call: {
        path: method.path,
        requestStream: false,
        responseStream: method.isStreaming,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    };
    calls.addService(definition, {
      call: (method.isStreaming ? serveStream : serveUnary)(method, service),
    });
  }
}

function servicePath(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
