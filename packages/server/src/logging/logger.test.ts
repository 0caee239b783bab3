import { expect, test } from "vitest";
import { addLogContext, withLogContext, withTask } from "./log-context.js";
import { createLogger, type LogLevel } from "./logger.js";
import { secretsOf } from "./redact.js";

function openTestLogger(level: LogLevel = "info", secrets: readonly string[] = []) {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level, secrets, write: (line) => lines.push(line) }) };
}

test("every log line contains the ids of its request, user and task [SRV-13]", async () => {
  const { lines, logger } = openTestLogger();

  await withLogContext({ requestId: "r1" }, async () => {
    addLogContext({ user: "alice" });
    await withTask("t1", async () => {
      await Promise.resolve();
      logger.info({ tool: "shell" }, "ran");
    });
  });
  logger.info({}, "outside");

  const [inside, outside] = lines.map((line) => JSON.parse(line));
  expect(inside).toMatchObject({
    level: "info",
    requestId: "r1",
    user: "alice",
    taskId: "t1",
    tool: "shell",
    msg: "ran",
  });
  expect(Object.keys(outside)).toEqual(["level", "time", "msg"]);
});

test("the fields of one log line do not appear in the next one [SRV-13]", () => {
  const { lines, logger } = openTestLogger();

  withLogContext({ requestId: "r1" }, () => {
    logger.info({ clients: 1 }, "first");
    logger.info({}, "second");
  });

  const [, second] = lines.map((line) => JSON.parse(line));
  expect(Object.keys(second)).toEqual(["level", "time", "requestId", "msg"]);
});

test("a logger with the level warn writes no info and debug lines", () => {
  const { lines, logger } = openTestLogger("warn");

  logger.info({}, "no");
  logger.debug({}, "no");
  logger.warn({}, "yes");

  expect(lines).toHaveLength(1);
});

test.each([
  ["the URL of an error", { error: new Error("GET https://x/?key=hunter2secret failed") }],
  [
    "the cause of an error",
    { error: new Error("no", { cause: new Error("Authorization: Bearer hunter2secret") }) },
  ],
  ["headers", { headers: { authorization: "hunter2secret", "x-api-key": "hunter2secret" } }],
  [
    "JSON inside a field",
    { body: JSON.stringify({ api_key: "hunter2secret", nested: { token: "hunter2secret" } }) },
  ],
  ["plain text", { text: "the key is sk-hunter2secret0123456789" }],
])("text that looks like a secret is redacted in %s [SEC-05]", (_, fields) => {
  const { lines, logger } = openTestLogger();

  logger.error(fields, "fault");

  expect(lines[0]).toContain("[redacted]");
  expect(lines[0]).not.toContain("hunter2secret");
});

test("the value of a secret variable is redacted anywhere in a log line [SEC-05]", () => {
  const secrets = secretsOf({ GEMINI_API_KEY: 'quo"ted-value', PATH: "/bin", EMPTY_TOKEN: "" });
  const { lines, logger } = openTestLogger("info", secrets);

  logger.error({ error: new Error('model said quo"ted-value in /bin') }, "fault");

  expect(secrets).toEqual(['quo"ted-value']);
  expect(lines[0]).not.toContain("ted-value");
  expect(lines[0]).toContain("/bin");
});

test("control characters in a line are escaped, and parsing the line returns the original text", () => {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
  const evil = "\x1b]52;c;eA==\x07 \x7f \x9b31m \u202e \u2028 \u{e0041} é 👩‍👧";

  logger.info({ [evil]: evil }, evil);

  expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\u202e\u2028\u{e0041}]/u);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ [evil]: evil, msg: evil });
});
