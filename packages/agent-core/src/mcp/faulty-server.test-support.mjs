// A real MCP server, built with the SDK, with typical faults.
import { spawn } from "node:child_process";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const [mode] = process.argv.slice(2);
if (mode === "die-at-start") {
  process.stderr.write(`no database at ${process.env.DATABASE}\n`);
  process.exit(7);
}
if (mode === "log-on-stdout") process.stdout.write("starting up, this is no MCP\n");

const server = new McpServer({ name: "faulty", version: "1.0.0" });
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
let isCancelled = false;

// Writes an answer without the SDK, because the SDK would refuse an invalid answer.
function answerRaw(id, answer) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
  return new Promise(() => {});
}

const tools = {
  echo_pid: () => text(process.pid),
  environment: () => text(JSON.stringify(process.env)),
  directory: () => text(process.cwd()),
  die: () => {
    process.stderr.write(`lost my mind, token ${process.env.API_TOKEN}\n`, () => process.exit(3));
    return new Promise(() => {});
  },
  write_garbage: () => {
    process.stdout.write("}}} this is no MCP {{{\n");
    return text("after the garbage");
  },
  answer_nonsense: ({ requestId }) => answerRaw(requestId, { result: { content: "nonsense" } }),
  // The answer is built as text, because JSON.stringify cannot write 5,000 nested objects.
  answer_deep: ({ requestId }) => {
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const result = `{"content":[{"type":"text","text":"shallow"}],"structuredContent":${deep}}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${requestId},"result":${result}}\n`);
    return new Promise(() => {});
  },
  // The id comes last, as in the answers of many SDKs.
  answer_brackets: ({ requestId }) => {
    const brackets = `${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}`;
    process.stdout.write(`{"result":${brackets},"jsonrpc":"2.0","id":${requestId}}\n`);
    return new Promise(() => {});
  },
  answer_much: () => text("x".repeat(40 * 1024 * 1024)),
  answer_many: () => ({ ...text("many"), structuredContent: { list: Array(300_000).fill(1) } }),
  answer_no_rpc: ({ requestId }) => answerRaw(requestId, { nonsense: true }),
  endless_line: () => {
    const more = () => process.stdout.write("x".repeat(1024 * 1024), more);
    more();
    return new Promise(() => {});
  },
  never_answer: async ({ signal, sendNotification, _meta }) => {
    signal.addEventListener("abort", () => {
      isCancelled = true;
    });
    const params = { progressToken: _meta?.progressToken, progress: 1, message: "waiting" };
    await sendNotification({ method: "notifications/progress", params });
    return new Promise(() => {});
  },
  was_cancelled: () => text(isCancelled),
  fail: () => ({ ...text("the moon is full"), isError: true }),
  progress: async ({ sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    for (const progress of [1, 2]) {
      const params = { progressToken, progress, total: 2, message: `step ${progress}` };
      await sendNotification({ method: "notifications/progress", params });
    }
    return text("done");
  },
  add_tool: () => {
    server.registerTool("added_later", { description: "Came later." }, () => text("late"));
    return text("added");
  },
  start_child: () => {
    const script = `require("net").connect(${process.env.CHILD_PORT}, "127.0.0.1")`;
    const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: "inherit" });
    return text(child.pid);
  },
};

for (const [name, run] of Object.entries(tools)) {
  server.registerTool(name, { description: `Does ${name}.` }, (extra) => run(extra));
}
await server.connect(new StdioServerTransport());
