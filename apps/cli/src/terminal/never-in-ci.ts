/**
 * Stands in for the package `is-in-ci` in the bundle: Ink draws nothing where `CI` is set, but whoever
 * opens the screen has a terminal in front of them.
 */
// biome-ignore lint/style/noDefaultExport: that is what it stands in for
export default false;
