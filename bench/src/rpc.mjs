import { Agent, request } from "node:http";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";

let messages = 0;

/** Node's HTTP agent, which reuses connections as a browser or an IDE does. */
const keepAlive = new Agent({ keepAlive: true, maxSockets: 4_096 });

/**
 * Creates the body of a `message/stream` request. `given` is the path of a workspace, or an object with the
 * task to continue and the metadata of the message.
 */
export function streamBody(prompt, given) {
  const { taskId, metadata } = typeof given === "string" ? { metadata: inWorkspace(given) } : given;
  return rpcBody("message/stream", { message: buildMessage(prompt, { taskId, metadata }) });
}

/** Starts a task and returns its id, without waiting for its end. */
export async function startTask({ url, directory }, prompt) {
  const message = buildMessage(prompt, { metadata: inWorkspace(directory) });
  const chunks = [];
  const body = rpcBody("message/send", { message, configuration: { blocking: false } });
  await readAll(url, body, (chunk) => chunks.push(chunk));
  return JSON.parse(Buffer.concat(chunks).toString()).result.id;
}

/** Returns the state of a task; undefined if the server does not know the task. */
export async function findTaskState({ url }, id) {
  const chunks = [];
  await readAll(url, rpcBody("tasks/get", { id }), (chunk) => chunks.push(chunk));
  return JSON.parse(Buffer.concat(chunks).toString()).result?.status.state;
}

function rpcBody(method, params) {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function inWorkspace(workspacePath) {
  return { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspacePath } };
}

function buildMessage(prompt, { taskId, metadata }) {
  messages += 1;
  return {
    kind: "message",
    role: "user",
    messageId: `bench-${process.pid}-${messages}`,
    parts: [{ kind: "text", text: prompt }],
    ...(taskId !== undefined && { taskId }),
    metadata,
  };
}

/** Sends a body and reads the response to its end. Calls `onChunk` with each chunk. */
export function readAll(
  url,
  body,
  onChunk = () => {},
  { agent = false, method = "POST", headers = {} } = {},
) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent,
      headers: { "Content-Type": "application/json", ...headers },
    });
    sent.on("response", (response) => {
      let bytes = 0;
      response.on("data", (chunk) => {
        bytes += chunk.length;
        onChunk(chunk);
      });
      response.on("end", () => resolve({ bytes, status: response.statusCode }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Streams one turn over a reused connection. Returns the size of the response, the time until its first
 * event, and the time until its end.
 */
export async function runTurn(app, prompt, given) {
  const startedAt = performance.now();
  let firstMs;
  let head = "";
  const { bytes } = await readAll(
    app.url,
    app.toBody(prompt, given),
    (chunk) => {
      if (firstMs !== undefined) return;
      head += chunk;
      if (head.includes("data: ")) firstMs = performance.now() - startedAt;
    },
    { agent: keepAlive },
  );
  if (firstMs === undefined) throw new Error(`no event came: ${head.slice(0, 200)}`);
  const [, taskId] = /"(?:taskId|id)":"([0-9a-f-]{36})"/.exec(head) ?? [];
  return { firstMs, totalMs: performance.now() - startedAt, bytes, taskId };
}

/**
 * Reads a model's stream to its end, splits it into events and parses each event, but does nothing else
 * with them. Returns the number of events.
 */
export async function readModelAlone({ url, toBody }, prompt) {
  let text = "";
  let chunks = 0;
  const countEvent = (event) => {
    const data = event.slice(event.indexOf("data: ") + 6);
    if (data === "[DONE]") return;
    JSON.parse(data);
    chunks += 1;
  };
  await readAll(
    url,
    toBody(prompt),
    (bytes) => {
      const events = (text + bytes).split("\r\n\r\n");
      text = events.pop();
      for (const event of events) countEvent(event);
    },
    { agent: keepAlive },
  );
  return chunks;
}
