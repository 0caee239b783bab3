import { type AgentCallResult, type Artifact, type Part, showControl } from "@dt/schema";
import { ToolError } from "../../../errors/tool-error.js";
import { firstBytes } from "../../output-excerpt.js";

/** Maximum size of the text that the model reads. */
const MAX_BYTES = 100_000;

/**
 * Describes the reply and the artifacts of a called agent for the model. Throws {@link ToolError} if the agent
 * failed or its task was cancelled.
 */
export function describeAgentResult(agentName: string, result: AgentCallResult): string {
  const { taskId, state, error = "no reason given" } = result;
  const reply = result.parts.map(describePart).join("\n\n").trim();
  const artifacts = result.artifacts.filter((artifact) => !isRepeated(artifact, reply));
  const whole = [reply, ...artifacts.map(describeArtifact)].filter((text) => text !== "");
  const text = cut(whole.join("\n\n"));
  if (state === "completed") return text === "" ? "[the agent gave no text]" : text;
  const said = text === "" ? "" : `\nIt said before:\n${text}`;
  const end = state === "failed" ? `failed: ${showControl(error)}` : "was cancelled there";
  throw new ToolError("agent_failed", `task ${taskId} of the agent ${agentName} ${end}${said}`);
}

/** Returns true for an artifact that repeats text of the reply. Agents send such artifacts for simple clients. */
function isRepeated({ parts }: Artifact, reply: string): boolean {
  const text = parts.map(describePart).join("\n\n").trim();
  return text !== "" && reply.includes(text);
}

function describeArtifact({ artifactId, name = artifactId, parts }: Artifact): string {
  return [`[artifact ${name}]`, ...parts.map(describePart)].join("\n");
}

function describePart(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "data":
      return JSON.stringify(part.data);
    case "file": {
      const { name = "file", mediaType = "unknown type", uri, bytes = "" } = part;
      const size = `${Buffer.byteLength(bytes, "base64")} bytes`;
      return `[${name}: ${mediaType}, ${uri ?? size}]`;
    }
  }
}

function cut(text: string): string {
  const shown = firstBytes(text, MAX_BYTES);
  if (shown.length === text.length) return text;
  return `${shown}\n[cut: ${Buffer.byteLength(shown)} of ${Buffer.byteLength(text)} bytes]`;
}
