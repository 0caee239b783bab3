import { expect, test } from "vitest";
import { toToolOutput } from "./call-result.js";

test("the result of an MCP call joins texts and describes other content", () => {
  const output = toToolOutput({
    content: [
      { type: "text", text: "one" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "audio", mimeType: "audio/wav", data: "AAAA" },
      { type: "resource", resource: { uri: "file:///a.txt", text: "inside" } },
      { type: "resource", resource: { uri: "file:///a.bin", blob: "AAAA" } },
      { type: "resource_link", uri: "file:///b.txt", name: "b" },
    ],
  });

  expect(output.result).toEqual({
    $case: "text",
    value: [
      "one",
      "[image image/png, 3 bytes, not shown]",
      "[audio audio/wav, 3 bytes, not shown]",
      "[resource file:///a.txt]\ninside",
      "[resource file:///a.bin, 3 bytes, not shown]",
      "[resource file:///b.txt: b]",
    ].join("\n"),
  });
});

test("the result of an MCP call is structured data if the server sent structured content", () => {
  const output = toToolOutput({ content: [], structuredContent: { sum: 3 } });

  expect(output.result).toEqual({ $case: "structuredData", value: { sum: 3 } });
});

test("in a long result of an MCP call, a note replaces the middle", () => {
  const output = toToolOutput({ content: [{ type: "text", text: `a${"x".repeat(300_000)}z` }] });

  const text = output.result?.$case === "text" ? output.result.value : "";
  expect(text).toMatch(/^a.*\[… 37858 characters cut …\].*z$/s);
  expect(text.length).toBeLessThan(263_000);
});

test("an MCP result that is an error is thrown with its text", () => {
  const failing = () => toToolOutput({ content: [{ type: "text", text: "no" }], isError: true });
  const silent = () => toToolOutput({ content: [], isError: true });

  expect(failing).toThrow(expect.objectContaining({ type: "mcp_tool_error", message: "no" }));
  expect(silent).toThrow("the tool failed without a reason");
});
