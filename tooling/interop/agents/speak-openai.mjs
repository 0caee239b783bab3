import { followOrders, isOrder } from "./follow-orders.mjs";
import { endReply, waitForAbort, writeEvent } from "./write-reply.mjs";

const ENVELOPE = { id: "stand-in", created: 0, model: "stand-in" };
const TOOLS = {
  write: ([filePath, content]) => ["write", { filePath, content }],
  run: ([command]) => ["bash", { command, description: "as ordered" }],
};

/** Reads a request of an OpenAI-compatible interface. Returns the steps of the reply. */
export function readOpenai({ messages = [], tools = [] }) {
  if (tools.length === 0) return [{ text: "a title" }];
  const last = messages.findLastIndex(({ role, content }) => role === "user" && findOrder(content));
  if (last < 0) return [{ text: "no order" }];
  const results = messages.slice(last + 1).filter(({ role }) => role === "tool");
  return followOrders(findOrder(messages[last].content), results.length);
}

function findOrder(content) {
  const texts = typeof content === "string" ? [content] : content.map(({ text = "" }) => text);
  return texts.findLast(isOrder);
}

/** Writes the steps as a reply of an OpenAI-compatible interface. */
export async function writeOpenai(steps, { response, isStreamed }) {
  const type = isStreamed ? "text/event-stream" : "application/json";
  response.writeHead(200, { "Content-Type": type });
  let calls = 0;
  for (const step of steps) {
    if (step.wait) return await waitForAbort(response);
    const delta = step.tool ? { tool_calls: [toCall(step)] } : { content: step.text };
    calls += step.tool ? 1 : 0;
    if (isStreamed) writeEvent(response, toChunk({ role: "assistant", ...delta }, null));
  }
  const reason = calls > 0 ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 };
  if (isStreamed) {
    writeEvent(response, { ...toChunk({}, reason), usage });
    response.end("data: [DONE]\n\n");
    return;
  }
  const content = steps.map(({ text = "" }) => text).join("");
  const message = { role: "assistant", content };
  const choices = [{ index: 0, message, finish_reason: reason }];
  endReply(response, { ...ENVELOPE, object: "chat.completion", choices, usage }, false);
}

function toCall({ tool, input }) {
  const [name, args] = TOOLS[tool](input);
  const id = `call_${Math.random().toString(36).slice(2)}`;
  return { index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

function toChunk(delta, finish_reason) {
  const choices = [{ index: 0, delta, finish_reason }];
  return { ...ENVELOPE, object: "chat.completion.chunk", choices };
}
