import type { ToolCall, ToolOutput } from "@dt/schema";
import { expect, test } from "vitest";
import { findResultImage, toToolResult } from "./tool-result.js";

function callWith(output: ToolOutput): ToolCall {
  return {
    toolCallId: "1",
    status: "SUCCEEDED",
    toolName: "read_file",
    inputParameters: {},
    result: { $case: "output", value: output },
  };
}

const image: ToolOutput = {
  result: {
    $case: "structuredData",
    value: { type: "image", media_type: "image/png", bytes_base64: "AAAA", path: "/w/a.png" },
  },
};

test("the text of a result with an image describes the image and does not contain its data", () => {
  expect(toToolResult(callWith(image)).text).toBe("[/w/a.png: an image, image/png, 3 bytes]");
});

test("findResultImage returns the image of a result", () => {
  expect(findResultImage(image)).toEqual({
    mediaType: "image/png",
    bytes: "AAAA",
    path: "/w/a.png",
  });
  expect(
    findResultImage({ result: { $case: "structuredData", value: { type: "x" } } }),
  ).toBeUndefined();
});
