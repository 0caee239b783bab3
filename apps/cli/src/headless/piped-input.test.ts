import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { UsageError } from "../args.js";
import { readPipedInput } from "./piped-input.js";

const { signal } = new AbortController();
const piped = (...texts: readonly string[]) =>
  Readable.from(
    texts.map((text) => Buffer.from(text)),
    { objectMode: false },
  );

test.each([
  [["one ", "two"], "one two"],
  [["\n"], undefined],
  [[], undefined],
])("the piped chunks %j are read as %j", async (texts, read) => {
  expect(await readPipedInput(piped(...texts), { signal })).toBe(read);
});

test("a character that arrives in two chunks is decoded correctly", async () => {
  const [first = 0, ...rest] = Buffer.from("é");
  const input = Readable.from([Buffer.from([first]), Buffer.from(rest)], { objectMode: false });

  expect(await readPipedInput(input, { signal })).toBe("é");
});

test("an input of 1 MiB is read, and an input with one more byte is refused", async () => {
  const most = "x".repeat(1024 * 1024);

  expect(await readPipedInput(piped(most), { signal })).toBe(most);
  await expect(readPipedInput(piped(most, "x"), { signal })).rejects.toThrow(UsageError);
});

test("reading stops after the timeout if the input sends nothing", async () => {
  let isSilent = false;

  const read = await readPipedInput(new PassThrough(), {
    signal,
    silenceMs: 1,
    onSilence: () => {
      isSilent = true;
    },
  });

  expect([read, isSilent]).toEqual([undefined, true]);
});

test("an abort stops reading an input that never ends", async () => {
  const leaving = new AbortController();
  const input = new PassThrough();
  input.write("some");
  const reading = readPipedInput(input, { signal: leaving.signal });

  leaving.abort();

  expect(await reading).toBeUndefined();
});
