// A replacement for curl with the options that our documents use, for machines without curl:
// `curl -sSN [-X METHOD] URL [-H HEADER] [-d BODY]`.
import process from "node:process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    "show-error": { type: "boolean", short: "S" },
    "no-buffer": { type: "boolean", short: "N" },
    request: { type: "string", short: "X" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d" },
  },
});
const headers = values.header.map((header) => header.split(": "));
const method = values.request ?? (values.data === undefined ? "GET" : "POST");
const response = await fetch(positionals[0], { method, headers, body: values.data });
for await (const chunk of response.body) process.stdout.write(chunk);
