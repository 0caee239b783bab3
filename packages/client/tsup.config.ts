import { definePackage } from "@dt/tooling/tsup";

export default definePackage({
  entry: {
    index: "src/index.ts",
    "testing/index": "src/testing/index.ts",
  },
});
