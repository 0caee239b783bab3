import type { ToolCall, Usage } from "@dt/schema";
import type { ModelHistoryPart } from "../model/history.js";
import type { ModelPart } from "../model/model-part.js";
import { costNanosOf } from "../model/model-price.js";
import { toToolInput } from "../model/parse-tool-input.js";
import type { Change } from "../record/recorder.js";
import { toUsageReport } from "../record/usage-report.js";
import { inSpan } from "../tracing/in-span.js";
import { modelSpan } from "../tracing/model-span.js";
import { abandonAfterAbort } from "./abandon-after-abort.js";
import type { TurnScope } from "./turn-scope.js";

/** If this many events are not committed yet, the next part of a reply is read only after their commit. */
const MAX_IN_FLIGHT = 256;

/** The parts of one reply that have arrived so far. */
interface Reply {
  readonly said: ModelHistoryPart[];
  readonly calls: ToolCall[];
  /** Errors of calls whose input could not be parsed. Such calls fail without a question. */
  readonly inputErrors: Record<string, string>;
  usage: Usage | undefined;
}

/**
 * Sends one request to the model and records its reply.
 *
 * Text is published as it arrives. At the end the whole reply is journaled. If the reply breaks off,
 * only its text is journaled.
 */
export async function runModelStep(scope: TurnScope): Promise<void> {
  await inSpan(modelSpan(scope.model.name), scope.span, async ({ span }) => {
    const { usage, calls } = await askModel(scope);
    span.setAttributes({
      "gen_ai.usage.input_tokens": usage?.inputTokens,
      "gen_ai.usage.output_tokens": usage?.outputTokens,
      "dt.tool_calls": calls.length,
    });
  });
}

async function askModel(scope: TurnScope): Promise<Reply> {
  const { signal } = scope;
  const reply: Reply = { said: [], calls: [], inputErrors: {}, usage: undefined };
  let isWhole = false;
  try {
    await receiveParts(scope.model.stream(requestOf(scope)), reply, scope);
    isWhole = !signal.aborted;
  } finally {
    recordReply(reply, isWhole, scope);
  }
  return reply;
}

/**
 * Receives parts until the reply ends or the signal aborts. If the model ignores the abort, this function
 * rejects 10 seconds later.
 */
async function receiveParts(
  parts: AsyncIterable<ModelPart>,
  reply: Reply,
  scope: TurnScope,
): Promise<void> {
  const { recorder, signal } = scope;
  const iterator = parts[Symbol.asyncIterator]();
  const receiveAll = async () => {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || signal.aborted) return;
      receivePart(next.value, reply, scope);
      if (recorder.inFlight >= MAX_IN_FLIGHT) await recorder.flush();
    }
  };
  try {
    await abandonAfterAbort(receiveAll(), signal);
  } finally {
    // The promise is not awaited, because a model that ignores the abort would block here.
    iterator.return?.().catch(() => {});
  }
}

function requestOf({ recorder, tools, signal, system }: TurnScope) {
  const declarations = tools
    .list()
    .filter((tool) => tool.isInternal !== true)
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
  return {
    history: recorder.state.history,
    tools: declarations,
    signal,
    ...(system !== undefined && { system: system() }),
  };
}

// Records a reply. A reply that broke off keeps its text but none of its calls. The commit is not awaited, so
// that the last text, the reply and the end of the turn can share one commit. If the commit fails, the next
// commit or flush reports the failure.
function recordReply(
  reply: Reply,
  isWhole: boolean,
  { recorder, model, priceOf }: TurnScope,
): void {
  const { said, calls, inputErrors, usage } = reply;
  const price = priceOf(model.name);
  const change: Change = {
    journal: [
      {
        type: "model-answered",
        said: isWhole ? said : said.filter((part) => part.type === "text"),
        calls: isWhole ? calls : [],
        inputErrors,
        ...(usage !== undefined && { usage }),
        ...(usage !== undefined && price && { costNanos: costNanosOf(usage, price) }),
        ...(!isWhole && { isBrokenOff: true }),
      },
    ],
    ...(usage !== undefined && {
      announce: (state) => [{ kind: "USAGE", report: toUsageReport(state, model) }],
    }),
  };
  recorder.commit(change).catch(() => {});
}

function receivePart(part: ModelPart, reply: Reply, scope: TurnScope): void {
  switch (part.type) {
    case "text":
      // A part with a signature may have an empty text. Such a part is stored but not shown.
      if (part.text !== "") scope.recorder.publish({ kind: "TEXT_CONTENT", text: part.text });
      appendText(reply.said, part);
      return;
    case "thought":
      scope.recorder.publish({ kind: "THOUGHT", thought: part.thought });
      return;
    case "citation":
      scope.recorder.publish({ kind: "CITATION", citation: part.citation });
      return;
    case "file":
      scope.recorder.publish({
        kind: "TEXT_CONTENT",
        text: "",
        attachments: [{ type: "file", ...part.file }],
      });
      // The history only mentions the file, so that the model knows that it made one.
      appendText(reply.said, { type: "text", text: `[file: ${part.file.mediaType ?? "unknown"}]` });
      return;
    case "notice":
      scope.recorder.publish({ kind: "CONSOLE_LOG", log: { type: "warn", content: part.text } });
      return;
    case "usage":
      reply.usage = part.usage;
      return;
    case "tool-request":
      requestTool(part, reply, scope);
  }
}

function requestTool(
  { toolName, signature, ...part }: ModelPart & { type: "tool-request" },
  { said, calls, inputErrors }: Reply,
  { createId }: TurnScope,
): void {
  const toolCallId = createId();
  // A model adapter may return any value, so the input is checked before it is stored.
  const { input, inputError = part.inputError } = toToolInput(part.input);
  const request = { toolCallId, toolName, input, ...(signature !== undefined && { signature }) };
  said.push({ type: "tool-request", request });
  calls.push({
    toolCallId,
    toolName,
    status: "PENDING",
    inputParameters: input,
    result: undefined,
  });
  if (inputError !== undefined) inputErrors[toolCallId] = inputError;
}

function appendText(
  said: ModelHistoryPart[],
  { text, signature }: ModelPart & { type: "text" },
): void {
  const last = said.at(-1);
  if (last?.type === "text" && last.signature === undefined && signature === undefined) {
    said[said.length - 1] = { type: "text", text: last.text + text };
  } else {
    said.push({ type: "text", text, ...(signature !== undefined && { signature }) });
  }
}
