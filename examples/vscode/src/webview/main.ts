import { type ToolCall, textOf, type ViewItem } from "@dt/client";
import type { ChatAction, ChatState } from "../chat-message.js";
import { commandHints } from "../slash-command.js";

/** The unsent text of the input field. VS Code keeps it while the view is hidden or reloaded. */
interface Draft {
  readonly text: string;
}

declare function acquireVsCodeApi(): {
  postMessage(action: ChatAction): void;
  getState(): Draft | undefined;
  setState(draft: Draft): void;
};

const editor = acquireVsCodeApi();
const byId = (id: string) => document.getElementById(id) as HTMLElement;
const text = byId("text") as HTMLInputElement;

text.value = editor.getState()?.text ?? "";
text.addEventListener("input", () => editor.setState({ text: text.value }));

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (text.value.trim() === "") return;
  editor.postMessage({ type: "submit", text: text.value });
  text.value = "";
  editor.setState({ text: "" });
});

addEventListener("message", ({ data }: MessageEvent<ChatState>) => {
  byId("items").replaceChildren(...data.items.map(itemElement));
  byId("fault").textContent = data.fault ?? "";
  byId("status").textContent = [data.connection, data.turn].filter(Boolean).join(" · ");
  byId("commands").replaceChildren(
    ...commandHints(data.commands).map(({ typed, description }) =>
      Object.assign(document.createElement("option"), { value: typed, label: description }),
    ),
  );
  scrollTo({ top: document.body.scrollHeight });
});

editor.postMessage({ type: "ready" });

function itemElement({ event }: ViewItem): HTMLElement {
  switch (event.kind) {
    case "USER_PROMPT":
      return box("prompt", textOf(event.parts));
    case "TEXT_CONTENT":
      return box("text", event.text);
    case "THOUGHT":
      return box("thought", `${event.thought.subject}: ${event.thought.description}`);
    case "TOOL_CALL_UPDATE":
      return callElement(event.toolCall);
    case "CONSOLE_LOG":
      return box("thought", event.log.content);
    default:
      return box("thought", event.kind.toLowerCase());
  }
}

function callElement(call: ToolCall): HTMLElement {
  const { toolCallId, toolName, status, description = "", confirmationRequest } = call;
  const shown = box("call", `${toolName} ${description} · ${status.toLowerCase()}`);
  if (status !== "PENDING" || confirmationRequest === undefined) return shown;
  const { details, options } = confirmationRequest;
  if (details?.$case === "executeDetails") shown.append(box("text", `$ ${details.value.command}`));
  if (details?.$case === "fileEditDetails") {
    shown.append(button("Show the change", { type: "open-diff", toolCallId }));
  }
  for (const { id: optionId, name } of options) {
    shown.append(button(name, { type: "answer", toolCallId, optionId }));
  }
  return shown;
}

function box(className: string, content: string): HTMLElement {
  return Object.assign(document.createElement("div"), { className, textContent: content });
}

function button(name: string, action: ChatAction): HTMLElement {
  const made = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: name,
  });
  made.addEventListener("click", () => editor.postMessage(action));
  return made;
}
