import { definePackage } from "@dt/tooling/tsup";

export default definePackage({
  entry: {
    index: "src/index.ts",
    "address/index": "src/address/index.ts",
    "wire/index": "src/wire/index.ts",
    "wire/gemini/index": "src/wire/gemini/index.ts",
    "testing/index": "src/testing/index.ts",
  },
});
