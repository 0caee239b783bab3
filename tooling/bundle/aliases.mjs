import { fileURLToPath } from "node:url";

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Replacements for libraries that Express loads and that our routes do not need in full. They are a third of the
 * text that dt-server would have to read at its start.
 */
export const BUNDLE_ALIASES = {
  debug: local("debug.cjs"),
  "iconv-lite": local("iconv-lite.cjs"),
  "mime-db": local("mime-db.cjs"),
  // The extended parser of queries and the parser of forms are not used.
  qs: "node:querystring",
};
