import { expect, test } from "vitest";
import { parseThought } from "./parse-thought.js";

test.each([
  ["**Reading** I look at the file.", "Reading", "I look at the file."],
  ["**Reading the file**\n\nFirst a.\n\nThen b.\n\n\n", "Reading the file", "First a.\n\nThen b."],
  ["**Only a subject**", "Only a subject", ""],
  ["no subject at all", "no subject at all", "no subject at all"],
  ["First I look. Then I write.", "First I look.", "First I look. Then I write."],
  ["One line\nand another", "One line", "One line\nand another"],
  ["x".repeat(100), `${"x".repeat(79)}…`, "x".repeat(100)],
  ["before **Subject** after", "Subject", "before\nafter"],
  ["**open", "**open", "**open"],
])("the thought %j has the subject %j [RFC-16]", (text, subject, description) => {
  expect(parseThought(text)).toEqual({ subject, description });
});
