import { followOrders, isOrder } from "./follow-orders.mjs";
import { endReply, waitForAbort, writeEvent } from "./write-reply.mjs";

const TOOLS = {
  write: ([file_path, content]) => ({ name: "write_file", args: { file_path, content } }),
  run: ([command]) => ({
    name: "run_shell_command",
    args: { command, description: "as ordered" },
  }),
};

/** Reads a request of the Gemini API. Returns the steps of the reply. */
export function readGemini({ contents = [], tools = [] }) {
  if (tools.length === 0) return [{ text: "{}" }];
  const turns = contents.map(({ role, parts = [] }) => ({ role, parts }));
  const last = turns.findLastIndex(({ role, parts }) => role === "user" && findOrder(parts));
  if (last < 0) return [{ text: "no order" }];
  const results = turns.slice(last + 1).flatMap(({ parts }) => parts.filter(isResult));
  return followOrders(findOrder(turns[last].parts), results.length);
}

function findOrder(parts) {
  return parts.map(({ text = "" }) => text).findLast(isOrder);
}

function isResult({ functionResponse }) {
  return functionResponse !== undefined;
}

/** Writes the steps as a reply of the Gemini API. */
export async function writeGemini(steps, { response, isStreamed }) {
  const type = isStreamed ? "text/event-stream" : "application/json";
  response.writeHead(200, { "Content-Type": type });
  const parts = [];
  for (const step of steps) {
    if (step.wait) return await waitForAbort(response);
    const part = step.tool ? { functionCall: TOOLS[step.tool](step.input) } : { text: step.text };
    parts.push(part);
    if (isStreamed) writeEvent(response, { candidates: [toCandidate([part])] });
  }
  const usageMetadata = { promptTokenCount: 900, candidatesTokenCount: 100, totalTokenCount: 1000 };
  const candidates = [{ ...toCandidate(isStreamed ? [] : parts), finishReason: "STOP" }];
  endReply(response, { candidates, usageMetadata }, isStreamed);
}

function toCandidate(parts) {
  return { index: 0, content: { role: "model", parts } };
}
