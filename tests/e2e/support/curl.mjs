// The part of curl that the README uses, for machines without curl: `curl -sSN URL -H HEADER -d BODY`.
import process from "node:process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    "show-error": { type: "boolean", short: "S" },
    "no-buffer": { type: "boolean", short: "N" },
    header: { type: "string", short: "H", multiple: true },
    data: { type: "string", short: "d" },
  },
});
const headers = values.header.map((header) => header.split(": "));
const response = await fetch(positionals[0], { method: "POST", headers, body: values.data });
for await (const chunk of response.body) process.stdout.write(chunk);
