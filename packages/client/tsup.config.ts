import { definePackage } from "@dt/tooling/tsup";

export default definePackage({
  entry: {
    index: "src/index.ts",
  },
});
