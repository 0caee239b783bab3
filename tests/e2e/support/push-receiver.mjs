// A push receiver in a child process. Over IPC, the test queues one behaviour for each of the next requests.
// A request without a queued behaviour gets 200 `ok`. Each request is reported to the test before it is
// answered.
import { createServer } from "node:http";

const [, , port = "0"] = process.argv;
const behaviours = [];

const answers = {
  ok: (_request, response) => response.writeHead(200).end("ok"),
  // Answers 200 and closes the connection, so that the next request needs a new one.
  close: (_request, response) => response.writeHead(200, { Connection: "close" }).end("ok"),
  slow: (_request, response) => setTimeout(() => response.writeHead(200).end("ok"), 60),
  hang: () => {},
  reset: (request) => request.socket.resetAndDestroy(),
  "half-head": (request) => request.socket.end("HTTP/1.1 200 OK\r\nContent-Le"),
  "half-body": (request) =>
    request.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"),
  nonsense: (request) => request.socket.end("SSH-2.0-OpenSSH\r\n"),
  exit: () => process.exit(1),
};

function answer(behaviour, request, response) {
  if (Object.hasOwn(answers, behaviour)) return answers[behaviour](request, response);
  const [status, detail = ""] = behaviour.split(" ");
  const isRedirect = status.startsWith("3");
  const headers = detail && { [isRedirect ? "Location" : "Retry-After"]: detail };
  response.writeHead(Number(status), headers || {}).end();
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const behaviour = behaviours.shift() ?? "ok";
  const { url, headers } = request;
  const body = Buffer.concat(chunks).toString();
  const connection = request.socket.remotePort;
  process.send({ type: "request", url, headers, body, behaviour, connection }, () =>
    answer(behaviour, request, response),
  );
});
server.listen(Number(port), "127.0.0.1", () => {
  process.send({ type: "listening", port: server.address().port });
});
process.on("message", (message) => behaviours.push(...message));
process.on("disconnect", () => process.exit(0));
