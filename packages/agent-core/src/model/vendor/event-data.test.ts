import { expect, test } from "vitest";
import { readEventData } from "./event-data.js";

test.each([
  ["one event", "data: a\n\n", ["a"]],
  ["several events", "data: a\n\ndata: b\n\n", ["a", "b"]],
  ["lines that end with CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
  ["lines that end with CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
  ["a line without a space after the colon", "data:a\n\n", ["a"]],
  ["a line whose second space belongs to the data", "data:  a\n\n", [" a"]],
  ["data on several lines", "data: a\ndata: b\n\n", ["a\nb"]],
  ["comments and other fields", ": hi\nevent: x\nid: 1\ndata: a\n\n", ["a"]],
])("event data is read from %s", (_, text, expected) => {
  expect(readEventData(text)).toEqual(expected);
});

test.each([
  ["an event without data", "event: ping\n\n"],
  ["an event that has not ended", "data: a\n"],
])("no data is read from %s", (_, text) => {
  expect(readEventData(text)).toEqual([]);
});
