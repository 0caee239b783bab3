import { expect, test } from "vitest";
import { createRedaction } from "./redaction.js";

test("an error shows no value of six or more characters from the server's environment", () => {
  const redaction = createRedaction({
    command: "x",
    env: { A: "value-one", B: "value-one-and-two", DEBUG: "true" },
  });

  const text = redaction.error("true: value-one-and-two, value-one");

  expect(text).toBe("true: [redacted], [redacted]");
});

test("an error shows no header, no query value and no password of the URL", () => {
  const redaction = createRedaction({
    url: "https://me:hunter22@host/mcp?key=abcdef123",
    headers: { authorization: "Bearer t0ken-value" },
  });

  const text = redaction.error("t0ken-value abcdef123 hunter22 Bearer t0ken-value");

  expect(text).toBe("[redacted] [redacted] [redacted] [redacted]");
});

test("the values of secret variables are removed from an output at any depth, and other values stay", () => {
  const redaction = createRedaction({
    command: "x",
    env: { API_TOKEN: "t0ken-value", ROOT: "/home/me/project" },
  });

  const output = redaction.output({ list: ["t0ken-value in /home/me/project", 3, null] });

  expect(output).toEqual({ list: ["[redacted] in /home/me/project", 3, null] });
});
