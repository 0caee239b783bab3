import { expect, test } from "vitest";
import { isLocalUrl } from "./base-url.js";

test.each([
  ["http://localhost:11434/v1", true],
  ["http://LOCALHOST./v1", true],
  ["http://ollama.localhost", true],
  ["http://ollama", true],
  ["http://gpu.lan", true],
  ["http://gpu.local.", true],
  ["http://gpu.internal", true],
  ["http://127.0.0.1", true],
  ["http://127.1", true],
  ["http://10.1.2.3", true],
  ["http://172.31.0.1", true],
  ["http://192.168.1.1", true],
  ["http://100.64.0.1", true],
  ["http://[::1]", true],
  ["http://[fd12::1]", true],
  ["http://[fe80::1]", true],
  ["http://[::ffff:192.168.1.1]", true],
  ["https://api.openai.com/v1", false],
  ["https://8.8.8.8", false],
  ["https://172.32.0.1", false],
  ["https://[2606:4700:4700::1111]", false],
  ["https://[::ffff:8.8.8.8]", false],
  ["https://127.0.0.1.example.com", false],
  ["https://localhost.example.com", false],
])("isLocalUrl of %s returns %s", (url, expected) => {
  expect(isLocalUrl(url)).toBe(expected);
});
