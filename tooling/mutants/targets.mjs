import path from "node:path";

/** Folders and files of each package that `npm run mutants` puts faults into, relative to its `src`. */
export const TARGETS = {
  schema: ["agent", "event", "tool-call", "validation", "address", "wire/a2a/push-config.ts"],
  "agent-core": [
    "session",
    "turn",
    "record",
    "confirmation",
    "ledger",
    "tools/check-input.ts",
    "tools/check-planned.ts",
    "tools/find-preview.ts",
  ],
  server: [
    "access",
    "live",
    "log",
    "push",
    "sessions",
    "store",
    "rpc/messages",
    "rpc/push",
    "serving/check-host.ts",
  ],
  client: ["task", "push"],
};

/** Tests that run a browser, an editor or the repository's own tools: they notice no fault that others miss. */
export const LEFT_OUT = [
  /^tests\/(repository|requirements)\//,
  /^tests\/e2e\/(browser|vscode-extension|wscat|example-programs|key-files)\.test\.ts$/,
  /^tests\/terminal\/examples\.test\.ts$/,
];

/** Whether a test lies below a target folder of its package, or in the same folder as a target file. */
export function isBesideTarget(name, test) {
  const source = `packages/${name}/src`;
  return TARGETS[name].some((target) =>
    target.endsWith(".ts")
      ? path.dirname(test) === path.dirname(`${source}/${target}`)
      : test.startsWith(`${source}/${target}/`),
  );
}
