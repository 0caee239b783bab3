// A stand-in for the models, which sends streams like Gemini and OpenAI. The last prompt chooses the stream:
// "bench 200 10" is 200 chunks, 10 ms apart, and "bench shell" is a tool call with 5 MB of shell output.
import { once } from "node:events";
import { createServer } from "node:http";
import { geminiChunk, openaiChunk } from "@dt/agent-core/testing";
import { serveParent } from "./serve-parent.mjs";

const SHELL_COMMAND = "yes 'one line of the output of a long build' | head -c 5000000";

const server = createServer(async (request, response) => {
  const body = JSON.parse(await readBody(request));
  const vendor = request.url.includes("/chat/completions") ? openai : gemini;
  if (vendor === gemini && !request.url.includes(":streamGenerateContent")) {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ ...vendor.chunk("yes", "STOP"), totalTokens: 10 }));
    return;
  }
  response.socket.setNoDelay(true);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  await answer(vendor, parsePrompt(body), response);
  response.end();
}).listen(0, "127.0.0.1");

const gemini = {
  chunk: (text, finishReason) => geminiChunk([{ text }], finishReason ? { finishReason } : {}),
  call: (name, args) => geminiChunk([{ functionCall: { name, args } }], { finishReason: "STOP" }),
  last: "",
};

const openai = {
  chunk: (text, finishReason) =>
    openaiChunk({ content: text }, finishReason === undefined ? null : "stop"),
  call: (name, args) => {
    const called = { name, arguments: JSON.stringify(args) };
    const call = { index: 0, id: "call_1", type: "function", function: called };
    return openaiChunk({ tool_calls: [call] }, "tool_calls");
  },
  last: "data: [DONE]\r\n\r\n",
};

async function answer(vendor, wanted, response) {
  if (wanted.isShell) {
    const call = vendor.call("run_shell_command", { command: SHELL_COMMAND });
    response.write(frame(call) + vendor.last);
    return;
  }
  const frames = framesOf(vendor, wanted.count);
  for (const [index, bytes] of frames.entries()) {
    if (wanted.everyMs > 0 && index > 0) await untilMs(wanted.startedAt + index * wanted.everyMs);
    if (response.destroyed) return;
    if (!response.write(bytes)) await once(response, "drain");
  }
  if (vendor.last !== "") response.write(vendor.last);
}

const framesByKey = new Map();

/** Returns the frames of a stream. They are built only once, so that building them is not measured. */
function framesOf(vendor, count) {
  const key = `${vendor === gemini} ${count}`;
  if (!framesByKey.has(key)) {
    const texts = Array.from({ length: count }, (_, index) => `piece ${index + 1} of it; `);
    const chunks = texts.map((text, index) => {
      return vendor.chunk(text, index === count - 1 ? "STOP" : undefined);
    });
    framesByKey.set(
      key,
      chunks.map((chunk) => Buffer.from(frame(chunk))),
    );
  }
  return framesByKey.get(key);
}

function frame(chunk) {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

// Waits until the given time. Each chunk has its own time, so a late chunk does not delay the next chunks.
function untilMs(at) {
  const waitMs = at - performance.now();
  return waitMs <= 0
    ? new Promise((resolve) => setImmediate(resolve))
    : new Promise((resolve) => setTimeout(resolve, waitMs));
}

function parsePrompt({ contents, messages }) {
  const last = (contents ?? messages).at(-1);
  const text = JSON.stringify(last);
  const isAnswered = text.includes("functionResponse") || last.role === "tool";
  const [, count = "1", everyMs = "0"] = /bench (\d+) (\d+)/.exec(text) ?? [];
  return {
    isShell: !isAnswered && text.includes("bench shell"),
    count: Number(count),
    everyMs: Number(everyMs),
    startedAt: performance.now(),
  };
}

async function readBody(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString() || "{}";
}

await once(server, "listening");
serveParent({
  url: `http://127.0.0.1:${server.address().port}`,
  close() {
    server.close();
    server.closeAllConnections();
  },
});
