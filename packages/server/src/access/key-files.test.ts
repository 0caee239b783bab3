import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readKeyFiles } from "./key-files.js";

async function openDirectory() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-keys-"));
  const file = path.join(directory, "key");
  return {
    directory,
    file,
    async write(text: string, mode = 0o600) {
      await writeFile(file, text);
      await chmod(file, mode);
    },
    read: (variables: Record<string, string> = { API_KEY_FILE: file }) =>
      readKeyFiles(variables, ["API_KEY", "OTHER_KEY"]),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

test.each(["600", "400", "700"])("a key is read from a file of mode %s [SEC-05]", async (mode) => {
  await using keys = await openDirectory();
  await keys.write("  k-123\r\n", Number.parseInt(mode, 8));

  const variables = await keys.read({ API_KEY_FILE: keys.file, PATH: "/bin", API_KEY: "" });

  expect(variables).toEqual({ API_KEY_FILE: keys.file, PATH: "/bin", API_KEY: "k-123" });
});

test("a key file of the maximum size is read completely", async () => {
  await using keys = await openDirectory();
  const key = "x".repeat(8_192);
  await keys.write(key);

  expect(await keys.read()).toEqual({ API_KEY_FILE: keys.file, API_KEY: key });
});

test("variables are returned unchanged if no key file is set", async () => {
  const variables = { API_KEY: "k-1", OTHER_KEY_FILE: "" };

  expect(await readKeyFiles(variables, ["API_KEY", "OTHER_KEY"])).toEqual(variables);
});

test.each(["644", "640", "604", "620", "602", "610", "777"])(
  "a key file of mode %s is refused, and the error names the command that fixes it [SEC-05]",
  async (mode) => {
    await using keys = await openDirectory();
    await keys.write("k-123", Number.parseInt(mode, 8));

    await expect(keys.read()).rejects.toMatchObject({
      name: "SetupError",
      message: `API_KEY_FILE: ${keys.file} has mode ${mode}, so others may use it; run chmod 600 on it`,
    });
  },
);

test("a symbolic link to a key file is refused if the file has mode 644 [SEC-05]", async () => {
  await using keys = await openDirectory();
  await keys.write("k-123", 0o644);
  const link = path.join(keys.directory, "link");
  await symlink(keys.file, link);

  await expect(keys.read({ API_KEY_FILE: link })).rejects.toThrow("has mode 644");
});

test.each(["", " \n ", "k-1\nk-2", "k-1 k-2", "k-\u0000", "k-é"])(
  "a key file that contains %j is refused, and the error does not show its content [SEC-05]",
  async (text) => {
    await using keys = await openDirectory();
    await keys.write(text);

    const failed = keys.read();

    await expect(failed).rejects.toThrow(`API_KEY_FILE: ${keys.file} must contain only the key`);
    await expect(failed).rejects.toMatchObject({ message: expect.not.stringMatching(/k-[12é]/) });
  },
);

test("a key file of more than 8192 bytes is refused [SEC-05]", async () => {
  await using keys = await openDirectory();
  await keys.write("x".repeat(8_193));

  await expect(keys.read()).rejects.toThrow(`API_KEY_FILE: ${keys.file} is larger than 8192 bytes`);
});

test("a missing key file, a directory, a pipe and a key that is set twice are refused", async () => {
  await using keys = await openDirectory();
  const [directory, pipe] = [path.join(keys.directory, "d"), path.join(keys.directory, "p")];
  await mkdir(directory, { mode: 0o700 });
  execFileSync("mkfifo", ["-m", "600", pipe]);

  await expect(keys.read()).rejects.toThrow(`API_KEY_FILE: there is no file ${keys.file}`);
  await keys.write("k");
  await expect(keys.read({ API_KEY_FILE: path.join(keys.file, "x") })).rejects.toThrow(
    `${path.join(keys.file, "x")} cannot be read (ENOTDIR)`,
  );
  await expect(keys.read({ API_KEY_FILE: directory })).rejects.toThrow("is not a file");
  await expect(keys.read({ API_KEY_FILE: pipe })).rejects.toThrow("is not a file");
  await expect(keys.read({ API_KEY_FILE: keys.file, API_KEY: "k" })).rejects.toThrow(
    "API_KEY and API_KEY_FILE are both set; unset one of them",
  );
});
