// Imported only when there is YAML to parse. Its names are listed, because a bundler cannot see which names a
// dynamic import of CommonJS has.
export { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
