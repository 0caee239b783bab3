import type { AgentEvent, ToolCall, Usage } from "@dt/schema";
import type { ModelSaid } from "../model/history.js";
import type { ModelPart } from "../model/model-part.js";
import type { TurnScope } from "./turn-scope.js";

/**
 * Asks the model once. What it says is published as it comes; what it said and wants is journaled at
 * the end, or as far as it came when it breaks off.
 */
export async function runModelStep(scope: TurnScope): Promise<void> {
  const { recorder, model, signal } = scope;
  const said: ModelSaid[] = [];
  const calls: ToolCall[] = [];
  try {
    const request = {
      history: recorder.state.history,
      tools: scope.tools.list(),
      signal,
    };
    for await (const part of model.stream(request)) {
      if (signal.aborted) break;
      takePart(part, said, calls, scope);
    }
    await recorder.flush();
  } finally {
    // A step that broke off asks for nothing, but what was said was heard.
    const isWhole = !signal.aborted;
    await recorder.commit({
      journal: [
        {
          type: "model-answered",
          said: isWhole ? said : said.filter(isText),
          calls: isWhole ? calls : [],
        },
      ],
    });
  }
}

function takePart(part: ModelPart, said: ModelSaid[], calls: ToolCall[], scope: TurnScope): void {
  const publish = (event: AgentEvent, usage?: Usage) => {
    // Not awaited: commits keep their order, and flush() waits for the last of them.
    scope.recorder
      .commit({ events: [event], ...(usage !== undefined && { header: { usage } }) })
      .catch(() => {});
  };
  switch (part.type) {
    case "text":
      publish({ kind: "TEXT_CONTENT", text: part.text });
      appendText(said, part);
      return;
    case "thought":
      publish({ kind: "THOUGHT", thought: part.thought });
      return;
    case "citation":
      publish({ kind: "CITATION", citation: part.citation });
      return;
    case "notice":
      publish({ kind: "CONSOLE_LOG", log: { type: "warn", content: part.text } });
      return;
    case "usage":
      return;
    case "tool-request": {
      const toolCallId = scope.createId();
      const { toolName, input, signature } = part;
      said.push({
        type: "tool-request",
        request: { toolCallId, toolName, input, ...(signature !== undefined && { signature }) },
      });
      calls.push({
        toolCallId,
        toolName,
        status: "PENDING",
        inputParameters: input,
        result: undefined,
      });
    }
  }
}

function appendText(said: ModelSaid[], { text, signature }: ModelPart & { type: "text" }): void {
  const last = said.at(-1);
  if (last?.type === "text" && last.signature === undefined && signature === undefined) {
    said[said.length - 1] = { type: "text", text: last.text + text };
  } else {
    said.push({ type: "text", text, ...(signature !== undefined && { signature }) });
  }
}

function isText(part: ModelSaid): boolean {
  return part.type === "text";
}
