import { OPENAI_CONTEXT_TOKENS } from "../model/create-model.js";
import { DEFAULT_REPLY_LIMITS } from "../model/vendor/reply-limits.js";

/** Default values of the settings. The schema and the documentation contain them too. */
export const SETTINGS_DEFAULTS = {
  mode: "default",
  thinking: "on",
  contextTokens: OPENAI_CONTEXT_TOKENS,
  modelSilenceMs: DEFAULT_REPLY_LIMITS.silenceMs,
  contextFileNames: ["AGENTS.md", "GEMINI.md"],
  mcpTimeoutMs: 600_000,
  calledAgentTimeoutMs: 600_000,
  limits: {
    maxSteps: 200,
    maxWorkMs: 4 * 60 * 60 * 1000,
    maxTokens: 20_000_000,
    maxRepeats: 5,
  },
} as const;
