import path from "node:path";

/** Folders and files of each package that get faults, relative to its `src`. */
export const TARGETS = {
  schema: ["agent", "event", "tool-call", "validation", "address", "wire/a2a/push/push-config.ts"],
  "agent-core": [
    "session",
    "turn",
    "record",
    "confirmation",
    "ledger",
    "tools/check-input.ts",
    "tools/check-planned.ts",
    "tools/build-preview.ts",
  ],
  server: [
    "access",
    "audit",
    "budget",
    "live",
    "log",
    "pairing",
    "push",
    "secrets",
    "sessions",
    "store",
    "rpc/messages",
    "rpc/push",
    "serving/check-listen-address.ts",
  ],
  client: ["task", "push"],
};

/** Tests that are not run, because other tests find the same faults. */
export const LEFT_OUT = [
  /^tests\/(repository|requirements)\//,
  /^tests\/e2e\/(browser|vscode-extension|wscat|example-programs|key-files)\.test\.ts$/,
  /^tests\/terminal\/examples\.test\.ts$/,
];

/**
 * Returns true if a test file is below a target folder of its package, or in the same folder as a target
 * file.
 */
export function isBesideTarget(name, test) {
  const source = `packages/${name}/src`;
  return TARGETS[name].some((target) =>
    target.endsWith(".ts")
      ? path.dirname(test) === path.dirname(`${source}/${target}`)
      : test.startsWith(`${source}/${target}/`),
  );
}
