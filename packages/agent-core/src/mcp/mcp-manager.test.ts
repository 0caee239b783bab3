import { readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { checkInput } from "../tools/check-input.js";
import { openMcpManager } from "./mcp-manager.js";
import { openMcpStage, outputText } from "./open-mcp-stage.test-support.js";
import { everythingServer, faultyServer, filesystemServer } from "./real-servers.test-support.js";

describe("servers from npm over stdio", () => {
  test("a connected server reports its status and its tools with their schemas [SRV-08]", async () => {
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });

    const report = stage.report("all");

    expect(report).toMatchObject({ name: "all", status: "connected" });
    expect(report.error).toBeUndefined();
    expect(report.tools.find(({ name }) => name === "echo")).toEqual({
      name: "echo",
      description: expect.any(String),
      parameters: expect.objectContaining({ type: "object", required: ["message"] }),
    });
  });

  test("a tool runs and its text is the output [RFC-25]", async () => {
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });

    const output = await stage.run("echo", { message: "hello" });

    expect(outputText(output)).toBe("Echo: hello");
  });

  test("a tool call is planned as an MCP action, even if the server declares it read-only", async () => {
    await using workspace = await openTempWorkspace();
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });
    const tool = stage.tool("get-sum");

    const plan = await tool.plan({ a: 1, b: 2 }, workspace);

    expect(tool.isReadOnly).toBe(true);
    expect(plan).toEqual({
      description: "get-sum of the MCP server all",
      actions: [{ type: "mcp", serverName: "all", toolName: "get-sum" }],
      details: { $case: "mcpDetails", value: { serverName: "all", toolName: "get-sum" } },
    });
  });

  test("structured content of a server becomes structured data", async () => {
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });

    const output = await stage.run("get-structured-content", { location: "Chicago" });

    expect(output.result).toEqual({
      $case: "structuredData",
      value: expect.objectContaining({ temperature: expect.any(Number) }),
    });
  });

  test("an image in a result is described instead of shown", async () => {
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });

    const output = await stage.run("get-tiny-image");

    expect(outputText(output)).toMatch(/\[image image\/png, \d+ bytes, not shown\]/);
  });

  test("progress is printed while the tool runs", async () => {
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });
    const printed: string[] = [];

    await stage.run(
      "trigger-long-running-operation",
      { duration: 0.01, steps: 2 },
      { print: (text) => printed.push(text) },
    );

    expect(printed).toEqual(["1/2", "2/2"]);
  });

  test("the schema of every tool of the server can be compiled", async () => {
    await using stage = await openMcpStage({ servers: { all: everythingServer() } });

    expect(() => checkInput(stage.tool("echo"), {})).toThrow("message");
    for (const tool of stage.tools()) {
      try {
        checkInput(tool, {});
      } catch (reason) {
        expect(reason).toMatchObject({ type: "invalid_input" });
      }
    }
  });

  test("the file server writes into its directory", async () => {
    await using workspace = await openTempWorkspace();
    await using stage = await openMcpStage({
      servers: { files: filesystemServer(workspace.root) },
      directory: workspace.root,
    });
    const file = path.join(workspace.root, "note.txt");

    await stage.run("write_file", { path: file, content: "by MCP" });

    expect(await readFile(file, "utf8")).toBe("by MCP");
  });
});

describe("names of tools", () => {
  test("a tool with the name of a built-in tool gets its server's name as prefix", async () => {
    await using workspace = await openTempWorkspace();
    await using stage = await openMcpStage({
      servers: { files: filesystemServer(workspace.root) },
      directory: workspace.root,
      takenNames: () => ["write_file"],
    });

    const names = stage.tools().map(({ name }) => name);

    expect(names).toContain("files__write_file");
    expect(names).not.toContain("write_file");
    expect(names).toContain("edit_file");
  });

  test("the tools of two equal servers get different names", async () => {
    await using stage = await openMcpStage({ servers: { a: faultyServer(), b: faultyServer() } });

    const [first, second] = [await stage.run("a__echo_pid"), await stage.run("b__echo_pid")];

    expect(outputText(first)).not.toBe(outputText(second));
  });
});

test("the program of a server gets the cleaned environment and its own variables [SEC-05]", async () => {
  await using stage = await openMcpStage({
    servers: { faulty: faultyServer("serve", { env: { OWN: "mine" } }) },
    environment: { GIVEN: "clean", OWN: "below" },
  });

  const environment = JSON.parse(outputText(await stage.run("environment")));

  expect(environment).toMatchObject({ GIVEN: "clean", OWN: "mine" });
  expect(environment).not.toHaveProperty("VITEST");
});

test("the program of a server starts in the workspace", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() } });

  const directory = outputText(await stage.run("directory"));

  expect(directory).toBe(await realpath(tmpdir()));
});

test("a tool that a server adds while it is connected can be used", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() } });

  await stage.run("add_tool");
  await stage.until(() => stage.tools().some(({ name }) => name === "added_later"));

  expect(outputText(await stage.run("added_later"))).toBe("late");
});

test("a manager without servers starts nothing and has no tools", async () => {
  const manager = openMcpManager({ servers: {}, environment: {}, directory: tmpdir() });

  await manager.firstAttempts;
  await manager.close();

  expect(manager.status()).toEqual([]);
  expect(manager.tools()).toEqual([]);
});
