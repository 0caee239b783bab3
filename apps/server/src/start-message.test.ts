import { expect, test } from "vitest";
import { parseEnv } from "./env.js";
import { startMessage } from "./start-message.js";

function modelLine(modelName: string, variables: Readonly<Record<string, string>>) {
  const env = parseEnv({ variables, home: "/home/ada", startDirectory: "/srv" });
  return startMessage({ url: "http://127.0.0.1:1/", modelName }, env).split("\n")[1];
}

test("the start message says why the model is offline and how to use a key that is set", () => {
  expect(modelLine("offline", {})).toBe(
    "model: offline (no key is set: it follows simple instructions such as `say hello`)",
  );
  expect(modelLine("offline", { DT_MODEL: "offline", GEMINI_API_KEY: "key" })).toBe(
    "model: offline (it follows simple instructions such as `say hello`)",
  );
  for (const name of ["OPENAI_API_KEY", "OPENAI_BASE_URL"])
    expect(modelLine("offline", { [name]: "http://127.0.0.1:2" })).toBe(
      `model: offline (${name} is set but no model is named; set DT_MODEL=openai:NAME to use it)`,
    );
  expect(modelLine("gemini-2.5-pro", { GEMINI_API_KEY: "key" })).toBe("model: gemini-2.5-pro");
});
