import { OPENAI_CONTEXT_TOKENS } from "../model/create-model.js";
import { DEFAULT_REPLY_LIMITS } from "../model/vendor/reply-limits.js";

/** Values of settings that nobody has set. The schema, and so the documentation, states the same values. */
export const SETTINGS_DEFAULTS = {
  mode: "default",
  contextTokens: OPENAI_CONTEXT_TOKENS,
  modelSilenceMs: DEFAULT_REPLY_LIMITS.silenceMs,
  contextFileNames: ["AGENTS.md", "GEMINI.md"],
  mcpTimeoutMs: 600_000,
  limits: {
    maxSteps: 200,
    maxWorkMs: 4 * 60 * 60 * 1000,
    maxTokens: 20_000_000,
    maxRepeats: 5,
  },
} as const;
