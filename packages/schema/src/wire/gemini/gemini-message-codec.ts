import { ProtocolError } from "../../errors/protocol-error.js";
import type { Part } from "../../event/part.js";
import type {
  ConfirmationRequest,
  ToolCallConfirmation,
} from "../../gen/development_tool/confirmation.js";
import type { AgentSettings } from "../../gen/development_tool/settings.js";
import { failAt } from "../../validation/message-json.js";
import type { A2aMessage } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";
import type { ClientMessageAddress } from "../canonical/client-message-codec.js";
import { encodeGeminiOutcome } from "./gemini-confirmation-codec.js";

/** An answer, and its question. */
export interface GeminiAnswer {
  readonly confirmation: ToolCallConfirmation;
  readonly question: ConfirmationRequest;
}

/**
 * Encodes a prompt. The first prompt of a task contains the settings. Throws for content that the
 * peer would silently drop.
 */
export function encodeGeminiPrompt(
  prompt: { readonly parts: readonly Part[]; readonly settings?: AgentSettings },
  address: ClientMessageAddress,
): A2aMessage {
  const other = prompt.parts.find((part) => part.type !== "text");
  if (other !== undefined) {
    throw new ProtocolError(
      "content-type-not-supported",
      `gemini-cli's server reads text only; remove the ${other.type} part`,
    );
  }
  if (prompt.parts.length === 0) failAt("message.parts", "expected at least one part");
  return compact({
    ...address,
    role: "user" as const,
    parts: prompt.parts,
    metadata: prompt.settings && { coderAgent: encodeSettings(prompt.settings) },
  });
}

/** Encodes answers as one message with a data part for each answer. */
export function encodeGeminiAnswers(
  answers: readonly GeminiAnswer[],
  address: ClientMessageAddress,
): A2aMessage {
  return {
    ...address,
    role: "user",
    parts: answers.map(({ confirmation, question }) => ({
      type: "data",
      data: compact({
        callId: confirmation.toolCallId,
        outcome: encodeGeminiOutcome(confirmation.selectedOptionId, question),
        newContent: confirmation.modifiedDetails?.value.newContent,
      }),
    })),
  };
}

function encodeSettings(settings: AgentSettings) {
  const { workspacePath, autoExecute, model, allowedTools, mcpServers } = settings;
  if (model !== undefined) refuseSetting("model");
  if (allowedTools.length > 0) refuseSetting("allowed_tools");
  if (Object.keys(mcpServers).length > 0) refuseSetting("mcp_servers");
  return compact({ kind: "agent-settings", workspacePath, autoExecute });
}

function refuseSetting(name: string): never {
  throw new ProtocolError(
    "unsupported-operation",
    `gemini-cli's server accepts no ${name} from a client; set it on that server`,
  );
}
