import { startChild } from "../child.mjs";

/** Starts a process that imitates the models of both vendors. */
export async function startModelServer() {
  const child = await startChild("model-server");
  return { ...child, gemini: toGemini(child.url), openai: toOpenai(child.url) };
}

// The stand-in uses the model names and the stream formats of both vendors.
function toGemini(url) {
  return {
    name: "Gemini",
    environment: { GEMINI_API_KEY: "bench", GOOGLE_GEMINI_BASE_URL: url },
    url: `${url}/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
    toBody: (prompt) => JSON.stringify({ contents: [{ role: "user", parts: [{ text: prompt }] }] }),
  };
}

function toOpenai(url) {
  return {
    name: "OpenAI",
    environment: {
      DT_MODEL: "openai:bench",
      OPENAI_API_KEY: "bench",
      OPENAI_BASE_URL: `${url}/v1`,
    },
    url: `${url}/v1/chat/completions`,
    toBody: (prompt) =>
      JSON.stringify({ stream: true, messages: [{ role: "user", content: prompt }] }),
  };
}
