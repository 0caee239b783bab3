import { definePackage } from "@dt/tooling/tsup";

export default definePackage({
  entry: { index: "src/index.ts" },
  platform: "node",
  // The official SDK has only ES modules. Node 20.19 loads them with `require` too.
  formats: ["esm"],
});
