import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { StdioMcpServer } from "../settings/servers/mcp-server-settings.js";

const require = createRequire(import.meta.url);

/** Settings of the reference server with all kinds of tools, from npm. */
export function everythingServer(more: Partial<StdioMcpServer> = {}): StdioMcpServer {
  return { command: process.execPath, args: [binOf("server-everything"), "stdio"], ...more };
}

/** Settings of the reference server for files, from npm. */
export function filesystemServer(directory: string): StdioMcpServer {
  return { command: process.execPath, args: [binOf("server-filesystem"), directory] };
}

/** Settings of our own server with faults. */
export function faultyServer(mode = "serve", more: Partial<StdioMcpServer> = {}): StdioMcpServer {
  const script = fileURLToPath(new URL("./faulty-server.test-support.mjs", import.meta.url));
  return { command: process.execPath, args: [script, mode], ...more };
}

/** Finds the program of a reference server. */
export function binOf(name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return path.join(path.dirname(manifest), "dist", "index.js");
}
