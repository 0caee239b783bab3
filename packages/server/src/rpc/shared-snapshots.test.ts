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
