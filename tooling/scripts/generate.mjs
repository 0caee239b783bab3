// Generates packages/schema/src/gen from proto/: types by ts-proto, and the field table for
// packages/schema/src/validation/field-rule.ts. `node generate.mjs DIR` writes into DIR instead.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { buildFieldTable } from "./field-table.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const proto = path.join(root, "proto");
const out = path.resolve(process.argv[2] ?? path.join(root, "packages/schema/src/gen"));
const temporary = mkdtempSync(path.join(tmpdir(), "dt-generate-"));

try {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const template = path.join(temporary, "buf.gen.yaml");
  writeFileSync(
    template,
    readFileSync(path.join(proto, "buf.gen.yaml"), "utf8").replace(
      "../packages/schema/src/gen",
      out,
    ),
  );
  buf("generate", "--template", template);
  for (const file of filesIn(out)) writeFileSync(file, withoutAny(readFileSync(file, "utf8")));

  const image = path.join(temporary, "image.binpb");
  buf("build", "--as-file-descriptor-set", "--exclude-source-info", "-o", image);
  const bytes = readFileSync(image);
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  const rules = JSON.parse(readFileSync(path.join(proto, "field-rules.json"), "utf8"));
  writeFileSync(path.join(out, "field-table.ts"), buildFieldTable(registry, rules));
  // Tests use the descriptors to compare our codecs with @bufbuild/protobuf.
  writeFileSync(
    path.join(out, "descriptor-set.ts"),
    `// Generated from proto/ by tooling/scripts/generate.mjs. Do not edit.\n\n/** A google.protobuf.FileDescriptorSet of all our messages, base64. For tests. */\nexport const descriptorSet =\n  "${bytes.toString("base64")}";\n`,
  );
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

// Replaces the type `any` with `unknown`, so that readers must check the value. ts-proto uses `any` for a
// google.protobuf.Struct and has no option for another type.
function withoutAny(source) {
  return source.replace(/(: |<|readonly )any\b(?: \| undefined)?(?= \}|[;>[])/g, "$1unknown");
}

function filesIn(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function buf(...args) {
  execFileSync(path.join(root, "node_modules/.bin/buf"), args, {
    cwd: proto,
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${path.join(root, "node_modules/.bin")}${path.delimiter}${process.env.PATH}`,
    },
  });
}
