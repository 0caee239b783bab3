import type { Todo } from "@dt/schema";
import { ToolError } from "../../errors/tool-error.js";
import type { Tool, ToolInput } from "../tool.js";

/** Status of a step by the word that the model writes. Gemini CLI's `write_todos` uses the same words. */
const STATUSES = {
  pending: "PENDING",
  in_progress: "IN_PROGRESS",
  completed: "COMPLETED",
  cancelled: "CANCELLED",
} as const satisfies Record<string, Todo["status"]>;

interface WrittenTodo {
  readonly description: string;
  readonly status: keyof typeof STATUSES;
}

/**
 * Writes the model's todo list, which clients show beside the conversation. Each call replaces the whole
 * list. The tool changes nothing in the workspace, so it never asks.
 */
export const writeTodos: Tool = {
  name: "write_todos",
  description:
    "Writes the list of steps for the current work, which the person sees. Use it for work of three or more steps, and not for a simple question. Each call replaces the whole list. Mark one step as in_progress before you start it, and as completed as soon as it is done. Add steps that you discover, and mark those that are no longer needed as cancelled. An empty list removes it.",
  isReadOnly: true,
  parameters: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        maxItems: 100,
        description: "All steps in order. At most one of them is in_progress.",
        items: {
          type: "object",
          properties: {
            description: {
              type: "string",
              minLength: 1,
              maxLength: 500,
              description: "What is to be done, as one short sentence.",
            },
            status: { type: "string", enum: Object.keys(STATUSES) },
          },
          required: ["description", "status"],
          additionalProperties: false,
        },
      },
    },
    required: ["todos"],
    additionalProperties: false,
  },

  async plan(input) {
    const todos = todosOf(input);
    const running = todos.filter(({ status }) => status === "in_progress");
    if (running.length > 1) {
      throw new ToolError(
        "invalid_input",
        `todos: ${running.length} steps are in_progress; mark only one step`,
      );
    }
    const description = describeTodos(todos);
    return {
      description,
      actions: [],
      details: { $case: "genericDetails", value: { description } },
    };
  },

  async run(input, run) {
    const todos = todosOf(input);
    run.writeTodos(
      todos.map(({ description, status }) => ({ description, status: STATUSES[status] })),
    );
    return { result: { $case: "text", value: toListText(todos) } };
  },
};

// The cast is safe, because the input has been checked against the schema.
function todosOf({ todos }: ToolInput): readonly WrittenTodo[] {
  return todos as readonly WrittenTodo[];
}

function describeTodos(todos: readonly WrittenTodo[]): string {
  if (todos.length === 0) return "Remove the todo list";
  const done = todos.filter(({ status }) => status === "completed").length;
  return `Todos: ${done} of ${todos.length} done`;
}

function toListText(todos: readonly WrittenTodo[]): string {
  if (todos.length === 0) return "the list is empty now";
  const lines = todos.map(
    ({ description, status }, index) => `${index + 1}. [${status}] ${description}`,
  );
  return ["the list is now", ...lines].join("\n");
}
