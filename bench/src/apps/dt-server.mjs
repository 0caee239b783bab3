import { createRequire } from "node:module";
import path from "node:path";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { streamBody } from "../rpc.mjs";
import { startApp } from "./app-process.mjs";

const require = createRequire(import.meta.url);
const MAIN = path.join(
  path.dirname(require.resolve("@dt/server-app/package.json")),
  "dist/main.js",
);

/**
 * Starts the built dt-server with default settings. Without a model it uses the built-in offline model.
 * `variables` are added to its environment.
 */
export async function startDtServer({ model, hasProbe, variables } = {}) {
  return await startApp({
    name: "dt",
    main: MAIN,
    hasProbe,
    environment: ({ home }) => ({
      DT_DATA_DIR: path.join(home, "data"),
      ...model?.environment,
      ...variables,
    }),
    toBody: (prompt, { workspacePath, taskId, autoExecute }) =>
      streamBody(prompt, {
        taskId,
        metadata: {
          [DEVELOPMENT_TOOL_URI]: {
            workspace_path: workspacePath,
            ...(autoExecute && { auto_execute: true }),
          },
        },
      }),
  });
}
