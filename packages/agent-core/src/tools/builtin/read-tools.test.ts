import { mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { encodeText } from "../../workspace/text/text-encoding.js";
import { tryTool } from "../testing/try-tool.js";
import { createReadFile } from "./read-file.js";
import { createGlob } from "./search/glob.js";
import { listDirectory } from "./search/list-directory.js";
import { createSearchFileContent } from "./search/search-file-content.js";

const readFile = createReadFile();
const glob = createGlob();
const search = createSearchFileContent();

async function openStage(files: Readonly<Record<string, string | Buffer>> = {}) {
  const workspace = await openTempWorkspace();
  const at = (file: string) => path.join(workspace.root, file);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), content);
  }
  return { ...workspace, at };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

test.each([
  ["a whole text", "one\ntwo\n", {}, "one\ntwo\n"],
  ["a text without a last line end", "one\ntwo", {}, "one\ntwo"],
  ["a text with Windows line ends", "one\r\ntwo\r\n", {}, "one\ntwo\n"],
  ["a text in UTF-16", encodeText({ text: "größe\n", encoding: "utf-16be" }), {}, "größe\n"],
  [
    "a text with a byte order mark",
    encodeText({ text: "größe\n", encoding: "utf-8-bom" }),
    {},
    "größe\n",
  ],
  [
    "a text in Latin-1 with replacement characters",
    Buffer.from("gr\xf6\xdfe\n", "latin1"),
    {},
    "gr\ufffd\ufffde\n",
  ],
  ["an empty file", "", {}, "(the file is empty)"],
  [
    "a range of lines",
    numbered(9),
    { offset: 3, limit: 2 },
    "line 3\nline 4\n[lines 3 to 4 of 9; continue with offset 5]",
  ],
  ["the last line", numbered(9), { offset: 9 }, "line 9\n[lines 9 to 9 of 9]"],
  ["nothing after the last line", numbered(9), { offset: 10 }, "(a.txt has only 9 lines)"],
])("read_file reads %s", async (_name, content, range, text) => {
  await using workspace = await openStage({ "a.txt": content });

  const trial = await tryTool(readFile, { file_path: "a.txt", ...range }, { workspace });

  expect(trial.text).toBe(text);
  expect(trial.plan.actions).toEqual([
    { type: "read", path: workspace.at("a.txt"), isInside: true },
  ]);
});

test("read_file returns a large file page by page", async () => {
  const content = numbered(12_345);
  await using workspace = await openStage({ "a.txt": content });
  let whole = "";
  let offset: number | undefined = 1;

  while (offset !== undefined) {
    const { text } = await tryTool(readFile, { file_path: "a.txt", offset }, { workspace });
    whole += text.slice(0, text.lastIndexOf("\n[") + 1);
    offset = Number(/continue with offset (\d+)/.exec(text)?.[1]) || undefined;
  }

  expect(whole).toBe(content);
});

test("read_file cuts long lines and limits the size of a page", async () => {
  await using workspace = await openStage({
    "a.txt": `${"x".repeat(5000)}\n${`${"y".repeat(1500)}\n`.repeat(100)}`,
  });

  const { text } = await tryTool(readFile, { file_path: "a.txt" }, { workspace });

  expect(text).toContain(`\n${"y".repeat(1500)}\n`);
  expect(text.split("\n")[0]).toBe(`${"x".repeat(2000)}… [line of 5000 characters, cut]`);
  expect(Buffer.byteLength(text)).toBeLessThan(66_000);
  expect(text).toMatch(/\[lines 1 to \d+ of 101; continue with offset \d+\]$/);
});

test("read_file reads a line far into a huge file", async () => {
  await using workspace = await openStage({ "a.txt": numbered(3_000_000) });

  const range = { offset: 2_000_000, limit: 1 };
  const { text } = await tryTool(readFile, { file_path: "a.txt", ...range }, { workspace });

  expect(text).toBe(
    "line 2000000\n[lines 2000000 to 2000000 of many; continue with offset 2000001]",
  );
});

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("read_file returns an image as data [RFC-13]", async () => {
  await using workspace = await openStage({ "a.png": pixel });

  const { output } = await tryTool(readFile, { file_path: "a.png" }, { workspace });

  expect(output).toEqual({
    result: {
      $case: "structuredData",
      value: {
        type: "image",
        media_type: "image/png",
        bytes_base64: pixel.toString("base64"),
        path: workspace.at("a.png"),
      },
    },
  });
});

test.each([
  ["a missing file", "missing.txt", "not_found", "missing.txt does not exist"],
  ["a directory", "sub", "is_a_directory", "sub is a directory; use list_directory"],
  ["a binary file", "binary", "not_text", "binary is neither text nor an image"],
  ["a huge image", "huge.png", "too_large", "huge.png is an image of 6000070 bytes"],
  ["a device", "/dev/zero", "not_a_file", "/dev/zero is a device, pipe or socket"],
])("read_file refuses %s with the reason", async (_name, file_path, type, message) => {
  await using workspace = await openStage({
    "sub/a": "",
    binary: Buffer.from([1, 0]),
    "huge.png": Buffer.concat([pixel, Buffer.alloc(6_000_000)]),
  });

  await expect(tryTool(readFile, { file_path }, { workspace })).rejects.toMatchObject({
    type,
    message: expect.stringContaining(message),
  });
});

test("paths that lead out of the workspace are planned as outside the workspace", async () => {
  await using workspace = await openStage();
  await using elsewhere = await openStage({ secret: "s" });
  await symlink(elsewhere.root, workspace.at("link"));

  const plans = await Promise.all([
    readFile.plan({ file_path: "link/secret" }, workspace),
    listDirectory.plan({ path: "link" }, workspace),
    glob.plan({ pattern: "*", path: "link" }, workspace),
    search.plan({ pattern: "s", path: "link/secret" }, workspace),
  ]);

  expect(
    plans
      .flatMap(({ actions }) => actions)
      .map((action) => "isInside" in action && action.isInside),
  ).toEqual([false, false, false, false]);
});

test.each([
  ["read_file", readFile, { file_path: "sub/a" }],
  ["list_directory", listDirectory, { path: "sub" }],
  ["glob", glob, { pattern: "*", path: "sub" }],
  ["search_file_content", search, { pattern: "s", path: "sub" }],
])(
  "%s does not follow a link that appeared after the permission was given",
  async (_name, tool, input) => {
    await using workspace = await openStage({ "sub/a": "harmless" });
    await using elsewhere = await openStage({ a: "secret" });

    const reading = tryTool(tool, input, {
      workspace,
      async meanwhile() {
        await rm(workspace.at("sub"), { recursive: true });
        await symlink(elsewhere.root, workspace.at("sub"));
      },
    });

    await expect(reading).rejects.toMatchObject({ type: "file_changed" });
  },
);

test("list_directory lists directories, then files with sizes and links with targets", async () => {
  await using workspace = await openStage({ "z/a": "", "b.txt": "four", "c.log": "", ".d": "1" });
  await symlink("b.txt", workspace.at("a"));

  const { text } = await tryTool(listDirectory, { path: ".", ignore: ["*.log"] }, { workspace });

  expect(text).toBe("z/\n.d (1 bytes)\na -> b.txt\nb.txt (4 bytes)");
});

test("list_directory reports how many entries it left out", async () => {
  const names = Array.from({ length: 510 }, (_, at) => [`f${at}`, ""] as const);
  await using workspace = await openStage(Object.fromEntries(names));

  const { text } = await tryTool(listDirectory, {}, { workspace });

  expect(text.split("\n")).toHaveLength(501);
  expect(text).toContain(
    "[10 of 510 entries are left out; leave out names with ignore, or use glob]",
  );
});

test.each([
  ["nowhere", "not_found"],
  ["file", "not_a_directory"],
])("list_directory of the path %s fails with %s", async (given, type) => {
  await using workspace = await openStage({ file: "" });

  await expect(tryTool(listDirectory, { path: given }, { workspace })).rejects.toMatchObject({
    type,
  });
});

const tree = {
  ".gitignore": "dist/\n*.gen.ts\n",
  "src/a.ts": "export const alpha = 1;\n",
  "src/b.gen.ts": "export const alpha = 2;\n",
  "src/deep/c.ts": "// nothing\nconst beta = alpha;\n",
  "dist/a.ts": "alpha\n",
  ".github/w.yml": "alpha: 1\n",
  "README.md": `${"long ".repeat(100)}alpha\n`,
  ".git/config": "alpha\n",
};

test("glob returns the newest files first and respects ignore files", async () => {
  await using workspace = await openStage(tree);
  await utimes(workspace.at("src/a.ts"), 1000, 1000);
  await utimes(workspace.at("src/deep/c.ts"), 2000, 2000);

  const all = await tryTool(glob, { pattern: "**/*.ts" }, { workspace });
  const below = await tryTool(glob, { pattern: "*.ts", path: "src" }, { workspace });
  const hidden = await tryTool(glob, { pattern: "**/*.{yml,config}" }, { workspace });
  const none = await tryTool(glob, { pattern: "*.py" }, { workspace });

  expect(all.text).toBe("src/deep/c.ts\nsrc/a.ts");
  expect(below.text).toBe("src/a.ts");
  expect(hidden.text).toBe(".github/w.yml");
  expect(none.text).toContain("no file matches");
});

test("glob reports the number of matches if it shows only the newest", async () => {
  const names = Array.from({ length: 230 }, (_, at) => [`f${at}.txt`, ""] as const);
  await using workspace = await openStage(Object.fromEntries(names));

  const { text } = await tryTool(glob, { pattern: "*.txt" }, { workspace });

  expect(text).toContain("[the newest 200 of 230; narrow the pattern or the path to see others]");
});

test("search_file_content matches a regular expression and respects ignore files", async () => {
  await using workspace = await openStage(tree);

  const all = await tryTool(search, { pattern: "\\balpha\\b" }, { workspace });
  const named = await tryTool(search, { pattern: "alpha", include: "*.ts" }, { workspace });
  const below = await tryTool(search, { pattern: "alpha", include: "src/*.ts" }, { workspace });
  const file = await tryTool(search, { pattern: "beta", path: "src/deep/c.ts" }, { workspace });
  const none = await tryTool(search, { pattern: "gamma" }, { workspace });

  const [hidden, readme, ...code] = all.text.split("\n");
  expect(hidden).toBe(".github/w.yml:1: alpha: 1");
  expect(readme).toMatch(/^README\.md:1: long long/);
  expect(readme?.length).toBeLessThan(400);
  expect(code).toEqual([
    "src/a.ts:1: export const alpha = 1;",
    "src/deep/c.ts:2: const beta = alpha;",
  ]);
  expect(named.text.split("\n")).toEqual(code);
  expect(below.text).toBe(code[0]);
  expect(file.text).toBe(code[1]);
  expect(none.text).toContain("nothing found");
});

test("search_file_content stops at its limit and reports the limit", async () => {
  await using workspace = await openStage({ "a.txt": "match\n".repeat(100_000) });

  const { text } = await tryTool(search, { pattern: "match" }, { workspace });

  expect(text.split("\n")).toHaveLength(301);
  expect(text).toContain("[only the first 300 matches found; narrow the pattern, path or include]");
});

test("search_file_content removes control sequences from matching lines", async () => {
  await using workspace = await openStage({ "a.txt": "\x1b[31mred\x1b]0;title\x07 match\n" });

  expect((await tryTool(search, { pattern: "match" }, { workspace })).text).toBe(
    "a.txt:1: red match",
  );
});

test.each([
  ["a broken expression", { pattern: "(" }, "invalid_pattern"],
  ["a missing directory", { pattern: "a", path: "nowhere" }, "not_found"],
])("search_file_content refuses %s with the reason", async (_name, input, type) => {
  await using workspace = await openStage({ "a.txt": "" });

  await expect(tryTool(search, input, { workspace })).rejects.toMatchObject({ type });
});

test("the error for a file that ripgrep cannot read names the file and not the pattern", async () => {
  await using workspace = await openStage({ "sub/a.txt": "x\n" });
  // The last argument of ripgrep is the file.
  const script =
    '#!/bin/sh\nfor file; do :; done\necho "rg: $file: Input/output error" >&2\nexit 2\n';
  await writeFile(workspace.at("rg"), script, { mode: 0o755 });
  const failing = createSearchFileContent({ findRipgrep: async () => workspace.at("rg") });

  const searching = tryTool(failing, { pattern: "x", path: "sub/a.txt" }, { workspace });

  await expect(searching).rejects.toMatchObject({
    type: "read_failed",
    message: `${path.join("sub", "a.txt")} could not be read: Input/output error; search other files`,
  });
});

test.each([
  ["is not installed", () => Promise.reject(new Error("no package"))],
  ["is not at its path", () => Promise.resolve("/no/such/rg")],
])("if ripgrep %s, the error names an alternative", async (_name, findRipgrep) => {
  await using workspace = await openStage();

  const searching = tryTool(
    createSearchFileContent({ findRipgrep }),
    { pattern: "a" },
    { workspace },
  );

  await expect(searching).rejects.toMatchObject({
    type: "ripgrep_missing",
    message: expect.stringContaining("use grep or find in run_shell_command"),
  });
});

test("search_file_content treats a pattern that looks like an option as a pattern", async () => {
  await using workspace = await openStage({ "a.txt": "--files\n" });

  expect((await tryTool(search, { pattern: "--files" }, { workspace })).text).toBe(
    "a.txt:1: --files",
  );
});
