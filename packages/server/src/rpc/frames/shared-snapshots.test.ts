import { DEFAULT_EXTENSION_URIS, emptyTaskView } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { createSharedSnapshots } from "./shared-snapshots.js";

const dialects = createDialects(DEFAULT_EXTENSION_URIS);
const dialect = (version: "0.3" | "1.0") =>
  dialects.ofTask(undefined, { version, developmentTool: true, session: true });
const view = emptyTaskView("task", "context");

test("subscribers of one dialect share the text of a snapshot [LOG-04]", () => {
  const snapshots = createSharedSnapshots();

  const first = snapshots.start(view, dialect("1.0")).frames;

  expect(snapshots.start(view, dialect("1.0")).frames).toBe(first);
  expect(snapshots.start(view, dialect("0.3")).frames).not.toEqual(first);
  expect(snapshots.start({ ...view, state: "working" }, dialect("1.0")).frames).not.toEqual(first);
});

test("a snapshot has the last items up to about one megabyte, and at least one item [LOG-04]", () => {
  const said = (...sizes: readonly number[]) =>
    sizes.map((size) => ({
      at: "2026-01-01T00:00:00.000Z",
      event: { kind: "TEXT_CONTENT" as const, text: "x".repeat(size) },
    }));
  const sizesIn = (...sizes: readonly number[]) => {
    const shown = { ...view, items: said(...sizes) };
    const [{ json } = { json: "" }] = createSharedSnapshots().start(shown, dialect("1.0")).frames;
    const { history } = JSON.parse(json).task as { history: { parts: { text: string }[] }[] };
    return history.map(({ parts }) => parts[0]?.text.length);
  };

  expect(sizesIn(600_000, 600_000, 300_000)).toEqual([600_000, 300_000]);
  expect(sizesIn(10, 4_000_000)).toEqual([4_000_000]);
});
