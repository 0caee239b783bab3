import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createGrpcConnections } from "./grpc-connections.js";

function openConnections() {
  const used = new Set<Socket>();
  const connections = createGrpcConnections({
    add() {},
    markUsed(socket) {
      used.add(socket);
      return () => used.delete(socket);
    },
  });
  return { used, connections };
}

const socketFrom = (remotePort: number) =>
  Object.assign(new EventEmitter(), {
    remoteAddress: "127.0.0.1",
    remotePort,
  }) as unknown as Socket;

test("a connection is in use until its last call ends", () => {
  const { used, connections } = openConnections();
  const socket = socketFrom(1);
  connections.add(socket);

  const endFirst = connections.openCall("127.0.0.1:1");
  const endSecond = connections.openCall("127.0.0.1:1");
  endFirst();
  endFirst();
  const duringSecond = used.has(socket);
  endSecond();

  expect(duringSecond).toBe(true);
  expect(used.size).toBe(0);
});

test("a connection is found until it closes, even if an older connection of its port closes first", () => {
  const { connections } = openConnections();
  const [older, newer] = [socketFrom(1), socketFrom(1)];
  connections.add(older);
  connections.add(newer);

  older.emit("close");
  const found = connections.find("127.0.0.1:1");
  newer.emit("close");

  expect(found).toBe(newer);
  expect(connections.find("127.0.0.1:1")).toBeUndefined();
  expect(connections.openCall("127.0.0.1:1")).not.toThrow();
});
