import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempHome, type TempHome } from "./temp-home.test-support.js";
import { createTrust, describeUntrusted } from "./trust.js";

const fileOf = ({ home }: TempHome) => path.join(home, ".config", "dt", "trusted.json");

test("a workspace is trusted only between trust and distrust", async () => {
  await using temp = await openTempHome();
  const trust = createTrust({ file: fileOf(temp) });

  const before = await trust.isTrusted(temp.workspace);
  await trust.trust(temp.workspace);
  const during = await trust.isTrusted(temp.workspace);
  await trust.distrust(temp.workspace);
  const after = await trust.isTrusted(temp.workspace);

  expect([before, during, after]).toEqual([false, true, false]);
});

test("trust resolves links, and does not apply to parent or child directories", async () => {
  await using temp = await openTempHome();
  const inside = path.join(temp.workspace, "inside");
  const link = path.join(temp.home, "link");
  await mkdir(inside);
  await symlink(temp.workspace, link);
  const trust = createTrust({ file: fileOf(temp) });

  await trust.trust(link);

  expect(await trust.list()).toEqual([temp.workspace]);
  expect(await trust.isTrusted(temp.workspace)).toBe(true);
  expect(await trust.isTrusted(link)).toBe(true);
  expect(await trust.isTrusted(inside)).toBe(false);
  expect(await trust.isTrusted(temp.home)).toBe(false);
});

test("the trust file is private to the person and is written atomically", async () => {
  await using temp = await openTempHome();
  const file = fileOf(temp);
  const trust = createTrust({ file });
  const other = path.join(temp.home, "other");
  await mkdir(other);

  await Promise.all([trust.trust(temp.workspace), trust.trust(other), trust.trust(other)]);

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // The three calls may finish in any order. Each workspace is stored exactly once.
  const { trusted } = JSON.parse(await readFile(file, "utf8"));
  expect(trusted.toSorted()).toEqual([other, temp.workspace].toSorted());
  expect(await readdir(path.dirname(file))).toEqual(["trusted.json"]);
});

test.for(["{", '{"trusted": "all"}', "[]"])(
  "a broken trust file is reported as an error and trusts no workspace: %s",
  async (text) => {
    await using temp = await openTempHome();
    const file = fileOf(temp);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    const trust = createTrust({ file });

    await expect(trust.isTrusted(temp.workspace)).rejects.toMatchObject({
      name: "SettingsError",
      message: expect.stringContaining(file),
    });
  },
);

test("the warning about an untrusted workspace quotes the directory in its command [SEC-08]", () => {
  expect(describeUntrusted("/w/x; touch y")).toContain("dt-server trust '/w/x; touch y'");
});
