import { expect, test } from "vitest";
import { cleanEnvironment } from "./clean-environment.js";

const fixed = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

test("cleanEnvironment keeps harmless variables and disables paging and password prompts", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    Path: "C:\\Windows",
    TERM: "xterm-256color",
    HTTPS_PROXY: "http://proxy:3128",
  };

  expect(cleanEnvironment(environment)).toEqual({ ...environment, ...fixed });
});

test.each([
  "GEMINI_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY_FILE",
  "OPENAI_API_KEY_FILE",
  "DT_PUSH_SECRET_FILE",
  "AWS_SECRET_ACCESS_KEY",
  "GITHUB_TOKEN",
  "DATABASE_URL",
  "DT_TOKEN",
  "NPM_CONFIG__AUTH",
  "SSH_AUTH_SOCK",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "NODE_OPTIONS",
  "BASH_ENV",
  "LD_PRELOAD",
  "LC_SECRET_TOKEN",
  "ANYTHING_ELSE",
])("%s does not reach a child process [SEC-05]", (name) => {
  expect(cleanEnvironment({ [name]: "value" })).toEqual(fixed);
});

test("a URL with a password does not reach a child process [SEC-05]", () => {
  expect(cleanEnvironment({ http_proxy: "http://user:word@proxy:3128" })).toEqual(fixed);
});

test("a variable that the user wants to keep is kept even if its name looks like a secret", () => {
  expect(cleanEnvironment({ NPM_TOKEN: "t", OTHER: "o" }, ["NPM_TOKEN"])).toEqual({
    ...fixed,
    NPM_TOKEN: "t",
  });
});

test("cleaning a clean environment changes nothing", () => {
  const once = cleanEnvironment({ PATH: "/bin", DT_PROCESS_1: "1", TOKEN: "t" });

  expect(cleanEnvironment(once)).toEqual(once);
});

test.each([
  [".:bin:/usr/bin::/bin:", "/usr/bin:/bin"],
  ["", "/usr/local/bin:/usr/bin:/bin"],
  [".", "/usr/local/bin:/usr/bin:/bin"],
])("a PATH of %j becomes %j for child processes [SEC-07]", (given, kept) => {
  expect(cleanEnvironment({ PATH: given })).toEqual({ ...fixed, PATH: kept });
  expect(cleanEnvironment({ PATH: given }, ["PATH"])).toEqual({ ...fixed, PATH: kept });
});
