import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes the settings of the agents into a home directory, so that each uses the stand-in and asks before changes. */
export function writeAgentSettings(home, modelUrl) {
  write(path.join(home, ".gemini/settings.json"), {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  });
  write(path.join(home, ".config/opencode/opencode.json"), {
    autoupdate: false,
    share: "disabled",
    permission: { edit: "ask", bash: "ask" },
    model: "stand-in/stand-in",
    small_model: "stand-in/stand-in",
    provider: {
      "stand-in": {
        npm: "@ai-sdk/openai-compatible",
        name: "Stand-in",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "key" },
        models: { "stand-in": { name: "stand-in", limit: { context: 100_000, output: 4_000 } } },
      },
    },
  });
}

/** Returns the variables that the agents need. dt passes on the variables that the agent's preset names. */
export function agentVariables(modelUrl) {
  return {
    GEMINI_API_KEY: "key",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: modelUrl,
    OPENAI_API_KEY: "key",
    OPENAI_BASE_URL: `${modelUrl}/v1`,
  };
}

function write(file, json) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(json));
}
