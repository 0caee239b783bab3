import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import type { Env } from "./env.js";

/** Creates the text that is printed at the start: the address, the model and a command to try. */
export function startMessage(
  app: {
    readonly url: string;
    readonly grpcAddress?: string | undefined;
    readonly modelName: string;
    readonly requiresToken?: boolean;
  },
  env: Env,
): string {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "message/stream",
    params: {
      message: {
        kind: "message",
        role: "user",
        // The printed command contains a fixed message id, so running it twice shows the same turn again.
        messageId: randomUUID(),
        parts: [{ kind: "text", text: "say hello" }],
        metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: env.defaultWorkspace } },
      },
    },
  };
  const token = app.requiresToken === true ? " -H 'Authorization: Bearer TOKEN'" : "";
  const hint = app.modelName === "offline" ? ` (${explainOffline(env.variables)})` : "";
  return [
    `dt-server listens on ${app.url}`,
    ...(app.grpcAddress === undefined ? [] : [`gRPC: ${app.grpcAddress}`]),
    `model: ${app.modelName}${hint}`,
    ...(token === ""
      ? []
      : [
          "every request needs a token: dt-server token create --user NAME --name DEVICE --role admin",
        ]),
    "try:",
    `  curl -N ${app.url}${token} -H 'Content-Type: application/json' -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`,
  ].join("\n");
}

const OPENAI_ACCESS = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];
const INSTRUCTIONS = "it follows simple instructions such as `say hello`";

/** Explains why the model is `offline`. If a variable in OPENAI_ACCESS is set, says how to use it. */
function explainOffline(variables: Env["variables"]): string {
  const isSet = (name: string) => Boolean(variables[name]?.trim());
  if (isSet("DT_MODEL")) return INSTRUCTIONS;
  const access = OPENAI_ACCESS.find(isSet);
  if (access === undefined) return `no key is set: ${INSTRUCTIONS}`;
  return `${access} is set but no model is named; set DT_MODEL=openai:NAME to use it`;
}
