#!/usr/bin/env node
import { homedir } from "node:os";
import { ModelError } from "@dt/agent-core";
import { SetupError } from "@dt/server";
import { composeServer } from "./compose.js";
import { parseEnv } from "./env.js";
import { closeOnSignal } from "./shutdown.js";
import { welcome } from "./welcome.js";

try {
  const env = parseEnv({
    variables: process.env,
    home: homedir(),
    startDirectory: process.cwd(),
  });
  const app = await composeServer(env, (reason) => console.error(reason));
  closeOnSignal(app);
  console.log(welcome(app, env));
} catch (reason) {
  if (!(reason instanceof SetupError || reason instanceof ModelError)) throw reason;
  console.error(reason.message);
  process.exitCode = 2;
}
