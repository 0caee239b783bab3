// This module is imported only when there is YAML to parse. It lists the names that are used, because
// a bundler cannot find them in a dynamic import of CommonJS.
export { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
