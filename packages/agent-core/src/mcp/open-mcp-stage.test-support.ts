import { tmpdir } from "node:os";
import type { ToolOutput } from "@dt/schema";
import type { Tool, ToolInput, ToolRun } from "../tools/tool.js";
import { openWorkspace } from "../workspace/workspace.js";
import {
  type McpManager,
  type McpManagerOptions,
  type McpServerReport,
  openMcpManager,
} from "./mcp-manager.js";

/** A manager with helpers for tests. */
export interface McpStage extends McpManager, AsyncDisposable {
  /** Resolves when the condition is true. Checks it at once and after every change of a server. */
  until(condition: () => boolean): Promise<void>;
  report(serverName: string): McpServerReport;
  tool(name: string): Tool;
  run(name: string, input?: ToolInput, run?: Partial<ToolRun>): Promise<ToolOutput>;
}

/** Opens a manager and waits until the first attempt to connect to each server has ended. */
export async function openMcpStage(
  options: Partial<McpManagerOptions> & Pick<McpManagerOptions, "servers">,
): Promise<McpStage> {
  const waiting = new Set<() => void>();
  const manager = openMcpManager({
    environment: {},
    directory: tmpdir(),
    ...options,
    onChange() {
      options.onChange?.();
      for (const check of waiting) check();
    },
  });
  await manager.firstAttempts;
  const tool = (name: string) => {
    const found = manager.tools().find((other) => other.name === name);
    if (found === undefined) throw new Error(`there is no tool called ${name}`);
    return found;
  };
  return {
    ...manager,
    tool,
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    report(serverName) {
      const report = manager.status().find(({ name }) => name === serverName);
      if (report === undefined) throw new Error(`there is no server called ${serverName}`);
      return report;
    },
    async run(name, input = {}, run = {}) {
      return await tool(name).run(input, {
        workspace: await openWorkspace(tmpdir()),
        signal: new AbortController().signal,
        shown: undefined,
        print: () => {},
        ...run,
      } as ToolRun);
    },
    [Symbol.asyncDispose]: () => manager.close(),
  };
}

/** Returns the text of an output. */
export function outputText({ result }: ToolOutput): string {
  if (result?.$case !== "text") throw new Error("the output is not a text");
  return result.value;
}
