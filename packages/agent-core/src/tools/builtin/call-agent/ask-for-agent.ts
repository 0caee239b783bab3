import { type AgentCallQuestion, type AskedQuestion, showControl } from "@dt/schema";
import type { NestedQuestion, ToolRun } from "../../tool.js";

/** Maximum length of an agent's text in a question. */
const MAX_TEXT = 10_000;

/**
 * Passes a question of a called agent on to the person, as a nested question of the call. The question
 * names the agent.
 */
export function askForAgent(
  agentName: string,
  question: AgentCallQuestion,
  run: Pick<ToolRun, "ask">,
): AskedQuestion {
  const withdrawal = new AbortController();
  const { signal } = withdrawal;
  return {
    answer: run.ask({ ...toNestedQuestion(agentName, question), signal }),
    withdraw: () => withdrawal.abort(new Error("the question was answered elsewhere")),
  };
}

function toNestedQuestion(agentName: string, question: AgentCallQuestion): NestedQuestion {
  if (question.type === "text") return toTextQuestion(agentName, question.text);
  const { toolName, description, inputParameters = {}, confirmationRequest } = question.toolCall;
  const step = showControl(description ?? toolName).slice(0, MAX_TEXT);
  return {
    toolName: `${agentName}/${showControl(toolName).slice(0, 200)}`,
    input: inputParameters,
    description: `${agentName} asks: ${step}`,
    details: confirmationRequest?.details,
  };
}

/** Builds the question of an agent that asks in text. If the person refuses with a reason, the reason is the answer. */
function toTextQuestion(agentName: string, text: string): NestedQuestion {
  const shown = showControl(text).slice(0, MAX_TEXT);
  const description = `${agentName} asks: ${shown}`;
  const advice =
    'To answer "yes", allow this. To answer "no", refuse it. To answer in your own words, refuse it with them as the reason.';
  return {
    toolName: `${agentName}/question`,
    input: { question: shown },
    description,
    details: { $case: "genericDetails", value: { description: `${description}\n\n${advice}` } },
  };
}
