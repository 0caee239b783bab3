import { readFile } from "node:fs/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const COUNT_WORDS = {
  name: "count_words",
  description: "Counts the words in a text file.",
  inputSchema: {
    type: "object",
    properties: { file: { type: "string", description: "The file, relative to the workspace." } },
    required: ["file"],
  },
};

const server = new Server({ name: "words", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [COUNT_WORDS] }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  // dt starts the program in the workspace, so a relative path works.
  const text = await readFile(params.arguments.file, "utf8");
  const count = text.split(/\s+/).filter(Boolean).length;
  return { content: [{ type: "text", text: `${params.arguments.file} has ${count} words` }] };
});
await server.connect(new StdioServerTransport());
