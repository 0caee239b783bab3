import { defaultExtensionUris, emptyTaskView } from "@dt/schema";
import { spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { createSharedSnapshots } from "./shared-snapshots.js";

const uris = defaultExtensionUris;
const view = emptyTaskView("task", "context");

test("observers of one dialect share a snapshot's text; another dialect or a later view has its own [LOG-04]", () => {
  const snapshots = createSharedSnapshots();
  const dialect = (version: "0.3" | "1.0") => ({
    spelling: spellings[version],
    activation: { uris, developmentTool: true, session: true },
  });

  const first = snapshots.encode(view, dialect("1.0"));

  expect(snapshots.encode(view, dialect("1.0"))).toBe(first);
  expect(snapshots.encode(view, dialect("0.3"))).not.toEqual(first);
  expect(snapshots.encode({ ...view, state: "working" }, dialect("1.0"))).not.toEqual(first);
});

test("a snapshot holds the last items, about a megabyte of them, and the last one whatever its size [LOG-04]", () => {
  const activation = { uris, developmentTool: true, session: true };
  const dialect = { spelling: spellings["1.0"], activation };
  const said = (...sizes: readonly number[]) =>
    sizes.map((size) => ({
      at: "2026-01-01T00:00:00.000Z",
      event: { kind: "TEXT_CONTENT" as const, text: "x".repeat(size) },
    }));
  const sizesIn = (...sizes: readonly number[]) => {
    const { json } = createSharedSnapshots().encode({ ...view, items: said(...sizes) }, dialect);
    const { history } = JSON.parse(json).task as { history: { parts: { text: string }[] }[] };
    return history.map(({ parts }) => parts[0]?.text.length);
  };

  expect(sizesIn(600_000, 600_000, 300_000)).toEqual([600_000, 300_000]);
  expect(sizesIn(10, 4_000_000)).toEqual([4_000_000]);
});
