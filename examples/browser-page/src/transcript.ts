import { type TaskView, textOf, type ViewItem } from "@dt/client";
import { element } from "./element.js";
import { type ToolCardActions, toolCard } from "./tool-card.js";

/** Creates a transcript that renders the items of a conversation into an element. */
export function createTranscript(root: HTMLElement, actions: ToolCardActions) {
  const shown: { readonly item: ViewItem; readonly node: HTMLElement }[] = [];
  let earlier = 0;
  return {
    // The element of an unchanged item is not replaced, so that text that the person is typing into it is
    // not lost.
    show({ items, earlierItems }: TaskView): void {
      for (const { node } of shown.splice(0, Math.max(0, earlierItems - earlier))) node.remove();
      earlier = earlierItems;
      for (const [index, item] of items.entries()) {
        const before = shown[index];
        if (before?.item === item) continue;
        const node = itemElement(item, actions);
        if (before === undefined) root.append(node);
        else before.node.replaceWith(node);
        shown[index] = { item, node };
      }
      for (const { node } of shown.splice(items.length)) node.remove();
    },
    clear(): void {
      for (const { node } of shown.splice(0)) node.remove();
      earlier = 0;
    },
  };
}

function itemElement(item: ViewItem, actions: ToolCardActions): HTMLElement {
  const { kind } = item.event;
  return element(
    "article",
    { className: `item ${kind}`, data: { kind } },
    contentOf(item, actions),
  );
}

function contentOf({ event }: ViewItem, actions: ToolCardActions): Node | string {
  switch (event.kind) {
    case "USER_PROMPT":
      return textOf(event.parts);
    case "TEXT_CONTENT":
      return event.text;
    case "THOUGHT":
      return element(
        "div",
        {},
        element("strong", {}, event.thought.subject),
        ` ${event.thought.description}`,
      );
    case "TOOL_CALL_UPDATE": {
      const { toolCall, answer } = event;
      const by = answer && `${answer.selectedOptionId} by ${answer.origin?.name || "someone"}`;
      return toolCard(toolCall, by, actions);
    }
    case "CITATION":
      return event.citation.title || event.citation.uri;
    case "CONSOLE_LOG":
      return event.log.content;
    case "THOUGHT_SUMMARY":
      return event.thoughtSummary.summary;
    case "ACCESS": {
      const { action, user, role } = event.access;
      return `${action.toLowerCase()}: ${user || "a link"} (${role})`;
    }
    case "WARNING":
      return event.warning.message;
    case "UNKNOWN":
      return textOf(event.parts) || event.wireKind;
  }
}
