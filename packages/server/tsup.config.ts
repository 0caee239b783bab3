import { definePackage } from "@dt/tooling/tsup";

export default definePackage({
  entry: {
    index: "src/index.ts",
    "store/postgres/index": "src/store/postgres/index.ts",
    "store/gcs/index": "src/store/gcs/index.ts",
    "testing/index": "src/testing/index.ts",
  },
  platform: "node",
});
