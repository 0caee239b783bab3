import { definePackage } from "@dt/tooling/tsup";

export default definePackage({
  entry: {
    index: "src/index.ts",
    "call-agent/index": "src/call-agent/index.ts",
    "node/index": "src/node/index.ts",
    "testing/index": "src/testing/index.ts",
  },
});
