import { expect, test } from "vitest";
import { parseThought } from "./parse-thought.js";

test.each([
  ["**Reading** I look at the file.", "Reading", "I look at the file."],
  ["**Reading the file**\n\nFirst a.\n\nThen b.\n\n\n", "Reading the file", "First a.\n\nThen b."],
  ["**Only a subject**", "Only a subject", ""],
  ["no subject at all", "", "no subject at all"],
  ["before **Subject** after", "Subject", "before\nafter"],
  ["**open", "", "**open"],
])("the thought %j is about %j [RFC-16]", (text, subject, description) => {
  expect(parseThought(text)).toEqual({ subject, description });
});
