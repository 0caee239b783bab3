import { expect, test } from "vitest";
import { checkIds } from "./check-ids.js";

const longest = "x".repeat(256);

test("ids of up to 256 characters without control characters are accepted", () => {
  const ids = [
    { messageId: "m" },
    { messageId: longest, taskId: longest, contextId: longest },
    { messageId: "é 😀 ~", taskId: undefined, contextId: undefined },
  ];

  expect(() => {
    for (const each of ids) checkIds(each);
  }).not.toThrow();
});

test.each(["messageId", "taskId", "contextId"])(
  "an invalid %s is refused, and the error names the field",
  (field) => {
    const messageOf = (id: string) => {
      try {
        checkIds({ messageId: "m", [field]: id });
        return "accepted";
      } catch (reason) {
        const { code, message } = reason as { code: string; message: string };
        return `${code}: ${message}`;
      }
    };
    const refusal = `invalid-message: message.${field}: expected`;

    expect(messageOf("")).toBe(`${refusal} an id, got an empty text`);
    expect(messageOf(`${longest}x`)).toBe(`${refusal} at most 256 characters`);
    for (const hidden of ["a\u0000b", "a\nb", "\u007f", "\ud800", "\udc00x"])
      expect(messageOf(hidden)).toBe(`${refusal} no control characters and no lone surrogates`);
  },
);
