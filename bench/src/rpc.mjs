import { request } from "node:http";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";

let messages = 0;

/** The body of a `message/stream` request with this prompt, in that workspace. */
export function streamBody(prompt, workspacePath) {
  return rpcBody("message/stream", { message: buildMessage(prompt, workspacePath) });
}

/** Starts a task and resolves with its id, without waiting for what it does. */
export async function startTask({ url, directory }, prompt) {
  const message = buildMessage(prompt, directory);
  const chunks = [];
  const body = rpcBody("message/send", { message, configuration: { blocking: false } });
  await readAll(url, body, (chunk) => chunks.push(chunk));
  return JSON.parse(Buffer.concat(chunks).toString()).result.id;
}

function rpcBody(method, params) {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function buildMessage(prompt, workspacePath) {
  messages += 1;
  return {
    kind: "message",
    role: "user",
    messageId: `bench-${process.pid}-${messages}`,
    parts: [{ kind: "text", text: prompt }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspacePath } },
  };
}

/** Sends a body and reads the answer to its end; `onChunk` may look at it. */
export function readAll(url, body, onChunk = () => {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent: false,
      headers: { "Content-Type": "application/json" },
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
