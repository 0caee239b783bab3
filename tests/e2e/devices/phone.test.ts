import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScreen, type Screen } from "../../terminal/support/open-screen.js";
import { openBrowser, type TestBrowser } from "../support/open-browser.js";

const ENTER = "\r";
const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile",
};

let chromium: TestBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(async () => await chromium?.[Symbol.asyncDispose]());

/** Opens dt, which shows a link to pair a device, and a phone's browser. */
async function openPhone(args: readonly string[] = ["--share"]) {
  const workspace = await openTempWorkspace();
  const notes = path.join(workspace.root, "notes.txt");
  await writeFile(notes, "one\nkept\n");
  const screen = openScreen({ cwd: workspace.root, args, columns: 140, rows: 50 });
  const context = await chromium.browser.newContext(PHONE);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  // The browser reports each violation of the content security policy as an error.
  page.on("console", (line) => {
    if (/Content Security Policy|Trusted/.test(line.text())) faults.push(line.text());
  });
  return {
    screen,
    page,
    faults,
    notes: () => readFile(notes, "utf8"),
    async [Symbol.asyncDispose]() {
      await context.close();
      await screen[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the screen shows a link that differs from `earlier`, and returns it. */
async function linkOf(screen: Screen, earlier = ""): Promise<string> {
  const find = (text: string) =>
    [...text.matchAll(/http:\S+\/join#\S+/g)]
      .map(([link]) => link)
      .find((link) => link !== earlier);
  return find(await screen.until((text) => find(text) !== undefined)) ?? "";
}

test("a phone pairs by the link, edits and approves a change, and pairs again after it was revoked [TEAM-02, CLI-17]", async () => {
  await using stage = await openPhone();
  const { screen, page } = stage;
  const link = await linkOf(screen);
  expect(screen.text()).toMatch(/[█▀▄]{4}/);
  expect(screen.text()).toContain("only this machine can use this link");

  await page.goto(link);
  expect(await page.inputValue("[name=name]")).toBe("iPhone");
  await page.tap('button:text-is("Pair this device")');
  await page.waitForSelector("text=connected over sse");
  await screen.until("iPhone is paired with the role approve");
  expect(await page.textContent("#device")).toBe("iPhone · approve");
  // The code is neither in the address nor in the history.
  expect(page.url()).toBe(link.split("#")[0]);

  screen.type(`edit notes.txt: one -> two${ENTER}`);
  await page.waitForSelector(".card.waits .diff .added");
  expect(await page.textContent(".diff .removed")).toBe("one");
  expect(await page.textContent(".diff .added")).toBe("two");
  await page.tap('button:text-is("Edit")');
  await page.fill("textarea.editor", "three\nkept\n");
  await page.tap('button:text-is("Approve edited")');
  await page.waitForSelector('.tool-status[data-status="SUCCEEDED"]');
  expect(await stage.notes()).toBe("three\nkept\n");

  await page.reload();
  await page.waitForSelector("text=connected over sse");
  await page.fill("textarea[name=text]", "say from the phone");
  await page.tap('button:text-is("Send")');
  await screen.until("● from the phone");
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);

  screen.type(`/clients${ENTER}`);
  await screen.until(/iPhone: approve, paired \d{4}-/);
  screen.type(`/clients revoke iPhone${ENTER}`);
  await screen.until("iPhone is revoked");
  await page.waitForSelector("text=this device is no longer paired");
  expect(await page.textContent("#fault")).toContain("the token was revoked");

  screen.type(`/share observe${ENTER}`);
  await page.goto(await linkOf(screen, link));
  await page.tap('button:text-is("Pair this device")');
  await page.waitForSelector("text=iPhone · observe");
  await page.waitForSelector("article.TEXT_CONTENT >> text=from the phone");
  await page.fill("textarea[name=text]", "say no");
  await page.tap('button:text-is("Send")');
  await page.waitForSelector("#fault >> text=needs the role prompt");
  expect(stage.faults).toEqual([]);
});

test("/share opens an endpoint if dt was started without an endpoint, and a wrong code is refused [TEAM-02]", async () => {
  await using stage = await openPhone([]);
  const { screen, page } = stage;
  await screen.until("Ask anything");
  screen.type(`/share${ENTER}`);
  const link = await linkOf(screen);

  await page.goto(link.split("#")[0] ?? "");
  await page.fill("[name=code]", "00000-00000");
  await page.fill("[name=name]", "Küche");
  await page.tap('button:text-is("Pair this device")');
  await page.waitForSelector("#fault >> text=attempts left: 4");
  await page.fill("[name=code]", (link.split("#")[1] ?? "").toLowerCase());
  await page.tap('button:text-is("Pair this device")');

  await page.waitForSelector("text=Küche · approve");
  await screen.until(/A2A http:\S+ 1 client/);
});
