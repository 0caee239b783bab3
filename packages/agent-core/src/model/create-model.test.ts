import { expect, test } from "vitest";
import { collectAnswer } from "../testing/model-stand-in/collect-answer.js";
import { geminiText, openGeminiStandIn } from "../testing/model-stand-in/gemini-stand-in.js";
import { openaiText, openOpenaiStandIn } from "../testing/model-stand-in/openai-stand-in.js";
import { createModel, type ModelOptions } from "./create-model.js";

const key = "secret-key-123";
const vertex = { GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_CLOUD_PROJECT: "p" };

type Environment = ModelOptions["environment"];

/** Adds a description of the environment to a row, for the name of its test. */
function withVariables<TRow extends readonly unknown[]>(environment: Environment, ...row: TRow) {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [variables.join(" ") || "no variables", environment, ...row] as const;
}

test.each([
  withVariables({}, "offline"),
  withVariables({ GEMINI_API_KEY: key }, "gemini-2.5-pro"),
  withVariables({ GEMINI_API_KEY: " " }, "offline"),
  withVariables(vertex, "gemini-2.5-pro"),
  withVariables({ GEMINI_API_KEY: key, DT_MODEL: "offline" }, "offline"),
  withVariables({ DT_MODEL: "openai:gpt", OPENAI_API_KEY: key }, "openai:gpt"),
  withVariables({ OPENAI_API_KEY: key }, "offline"),
  withVariables({ GOOGLE_GENAI_USE_VERTEXAI: "false", GOOGLE_CLOUD_PROJECT: "p" }, "offline"),
])("with %s and without a name, a default model is chosen", (_, environment, chosen) => {
  expect(createModel({ environment }).name).toBe(chosen);
});

test.each([
  withVariables({}, "", "offline"),
  withVariables({ GEMINI_API_KEY: key }, "offline", "offline"),
  withVariables({ GEMINI_API_KEY: key }, "gemini-2.5-flash", "gemini-2.5-flash"),
  withVariables(vertex, "gemini-2.5-flash", "gemini-2.5-flash"),
  withVariables({ GEMINI_API_KEY: key, DT_MODEL: "offline" }, "gemini-2.5-pro", "gemini-2.5-pro"),
  withVariables({ OPENAI_BASE_URL: "http://localhost:11434/v1" }, "openai:qwen3", "openai:qwen3"),
  withVariables({ OPENAI_BASE_URL: "http://10.0.0.7/v1" }, "openai:qwen3:8b", "openai:qwen3:8b"),
  withVariables({ OPENAI_API_KEY: key }, "openai:gpt", "openai:gpt"),
])(
  "with %s, a given name selects the model, and an empty name selects the default",
  (_, environment, name, chosen) => {
    expect(createModel({ environment, name }).name).toBe(chosen);
  },
);

test.each<[name: string, environment: Environment, message: RegExp]>([
  ["gemini-2.5-pro", {}, /needs GEMINI_API_KEY or GEMINI_API_KEY_FILE; offline needs no key$/],
  ["my-model", {}, /write openai:my-model; offline needs no key$/],
  ["qwen3", {}, /^qwen3 is not a Gemini model; write openai:qwen3$/],
  ["gpt-5", {}, /write openai:gpt-5$/],
  ["gpt-5", { GEMINI_API_KEY: key }, /write openai:gpt-5$/],
  ["o3-mini", { GEMINI_API_KEY: key }, /write openai:o3-mini$/],
  ["openai/gpt-5", { OPENAI_API_KEY: key }, /write openai:gpt-5$/],
  ["OpenAI:gpt-5", { OPENAI_API_KEY: key }, /write openai:gpt-5$/],
  ["meta-llama/llama-3", { OPENAI_API_KEY: key }, /write openai:meta-llama\/llama-3$/],
  ["openai:qwen3", {}, /^the model openai:qwen3 needs OPENAI_API_KEY, or OPENAI_BASE_URL/],
  ["openai:qwen3", { OPENAI_BASE_URL: "https://models.example.com/v1" }, /needs OPENAI_API_KEY/],
  ["openai:", { OPENAI_API_KEY: key }, /needs the name of a model/],
  ["openai:qwen3", { OPENAI_BASE_URL: "localhost" }, /^OPENAI_BASE_URL is not a URL; /],
  ["openai:qwen3", { OPENAI_BASE_URL: "file:///models" }, /must begin with http/],
  [
    "openai:q",
    { OPENAI_BASE_URL: `http://me:${key}@localhost/v1` },
    /must not contain a user name/,
  ],
  ["gemini-2.5-pro", { GOOGLE_GENAI_USE_VERTEXAI: "true" }, /needs GOOGLE_CLOUD_PROJECT$/],
  ["g", { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: "x" }, /^GOOGLE_GEMINI_BASE_URL is not/],
])("an error about the model %j shows no secret [SEC-05]", (name, environment, message) => {
  const create = () => createModel({ name, environment });

  expect(create).toThrow(message);
  expect(create).not.toThrow(key);
});

test.each([
  withVariables({}, /GEMINI_API_KEY or GEMINI_API_KEY_FILE.*OPENAI_API_KEY or OPENAI_API_KEY_FILE/),
  withVariables({ GEMINI_API_KEY: " " }, /--model offline/),
  withVariables(
    { OPENAI_API_KEY: key },
    /^no model is chosen: OPENAI_API_KEY also needs the name of a model/,
  ),
])("with %s, the error about a missing model names the fix", (_, environment, message) => {
  expect(() => createModel({ environment, isRequired: true })).toThrow(message);
});

test.each([withVariables({ DT_MODEL: "offline" }), withVariables({ GEMINI_API_KEY: key })])(
  "with %s, createModel succeeds if a model is required",
  (_, environment) => {
    expect(createModel({ environment, isRequired: true }).name).toBeTruthy();
  },
);

test("the context size is known for Gemini and configurable for other models", () => {
  const environment = { GEMINI_API_KEY: key, OPENAI_API_KEY: key };
  const sizeOf = (name: string, contextTokens?: number) =>
    createModel({ name, environment, ...(contextTokens && { contextTokens }) }).contextTokens;

  expect(sizeOf("gemini-2.5-pro")).toBe(1_048_576);
  expect(sizeOf("gemini-1.5-pro-002")).toBe(2_097_152);
  expect(sizeOf("learnlm-2.0")).toBeUndefined();
  expect(sizeOf("openai:qwen3")).toBe(32_768);
  expect(sizeOf("openai:qwen3", 8_192)).toBe(8_192);
});

test("requests to GOOGLE_GEMINI_BASE_URL carry the key in a header and not in the URL", async () => {
  await using standIn = await openGeminiStandIn([geminiText("hi")]);
  const environment = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: standIn.url };

  const { text } = await collectAnswer(createModel({ environment }));

  expect(text).toBe("hi");
  const [request] = standIn.requests;
  expect(request?.path).toBe("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
  expect(request?.headers["x-goog-api-key"]).toBe(key);
});

test.each([
  ["with the key", { OPENAI_API_KEY: key }, `Bearer ${key}`],
  ["without a key", {}, undefined],
])("requests to OPENAI_BASE_URL are sent %s", async (_, keys, authorization) => {
  await using standIn = await openOpenaiStandIn([openaiText("hi")]);
  const environment = { OPENAI_BASE_URL: `${standIn.url}/v1`, ...keys };

  const { text } = await collectAnswer(createModel({ name: "openai:qwen3", environment }));

  expect(text).toBe("hi");
  expect(standIn.requests[0]?.headers.authorization).toBe(authorization);
});
