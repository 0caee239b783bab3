import { fileURLToPath } from "node:url";

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Small replacements for libraries that Express loads but our routes hardly use. The original libraries
 * would be a third of the code that dt-server loads when it starts.
 */
export const BUNDLE_ALIASES = {
  debug: local("debug.cjs"),
  "iconv-lite": local("iconv-lite.cjs"),
  "mime-db": local("mime-db.cjs"),
  // Our routes accept no nested queries or forms, so Node's parser can replace `qs`.
  qs: "node:querystring",
};
