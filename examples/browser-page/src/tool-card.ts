import { type Answer, fileDiffOf, OPTION_IDS, type ToolCall } from "@dt/client";
import { diffLines } from "./diff-lines.js";
import { element } from "./element.js";

/** The functions that a card calls when the user acts. */
export interface ToolCardActions {
  answer(toolCall: ToolCall, answer: Answer): Promise<void>;
}

/** Creates the card of a tool call, with its diff or output and its open question. */
export function toolCard(
  toolCall: ToolCall,
  answeredBy: string | undefined,
  actions: ToolCardActions,
) {
  const { toolName, status, description, confirmationRequest } = toolCall;
  const isAsking = status === "PENDING" && confirmationRequest !== undefined;
  return element(
    "section",
    { className: `card${isAsking ? " waits" : ""}`, data: { tool: toolName, status } },
    element(
      "header",
      {},
      element("span", { className: "tool-name" }, toolName),
      element("span", { className: "tool-about" }, description ?? describeInput(toolCall)),
      element("span", { className: "tool-status", data: { status } }, status),
    ),
    isAsking ? question(toolCall, actions) : outcome(toolCall),
    answeredBy === undefined ? undefined : element("div", { className: "answered" }, answeredBy),
  );
}

// region: snippet
function question(toolCall: ToolCall, { answer }: ToolCardActions): HTMLElement {
  const diff = fileDiffOf(toolCall);
  const editor = element("textarea", { className: "editor", value: diff?.newContent ?? "" });
  const shown = diff && diffView(diff.oldContent ?? "", diff.newContent);
  const box = element("div", { className: "question" }, shown);

  const choose = (chosen: Answer) => {
    for (const button of box.querySelectorAll("button")) button.disabled = true;
    void answer(toolCall, chosen);
  };
  const edit = element("button", { className: "quiet", textContent: "Edit" });
  edit.onclick = () => {
    if (editor.isConnected) return choose({ newContent: editor.value });
    edit.textContent = "Approve edited";
    shown?.replaceWith(editor);
    editor.focus();
  };
  const options = toolCall.confirmationRequest?.options.map(({ id, name, description = "" }) =>
    element("button", {
      textContent: name,
      title: description,
      className: classOf(id),
      onclick: () => choose(id),
      data: { option: id },
    }),
  );
  box.append(
    element(
      "div",
      { className: "answers" },
      ...(options ?? []),
      diff === undefined ? undefined : edit,
    ),
  );
  return box;
}
// endregion

function classOf(optionId: string): string {
  if (optionId === OPTION_IDS.proceedOnce) return "";
  return optionId === OPTION_IDS.cancel ? "danger" : "quiet";
}

function outcome(toolCall: ToolCall): HTMLElement | undefined {
  const diff = fileDiffOf(toolCall);
  if (diff !== undefined) return diffView(diff.oldContent ?? "", diff.newContent);
  const text = outputOf(toolCall);
  return text === "" ? undefined : element("pre", { className: "output" }, text);
}

function outputOf({ liveContent = "", result }: ToolCall): string {
  if (result === undefined) return liveContent;
  if (result.$case === "error") return result.value.message;
  const output = result.value.result;
  if (output?.$case === "text") return output.value;
  return output === undefined ? "" : JSON.stringify(output.value, undefined, 2);
}

function describeInput({ inputParameters = {} }: ToolCall): string {
  return Object.values(inputParameters)
    .filter((value) => typeof value === "string")
    .join(" ")
    .slice(0, 120);
}

function diffView(before: string, after: string): HTMLElement {
  const lines = diffLines(before, after);
  return element(
    "div",
    { className: "diff" },
    ...lines.map(({ type, text }) => element("span", { className: type }, text)),
  );
}
