"use strict";
// Entry script of all npm commands. It needs only Node and npm: it checks the Node version, installs and builds
// what is missing, and runs the command. Its syntax works on any Node, so that an old one gets a clear message
// instead of a syntax error.

var MINIMUM = [20, 19];
var version = process.versions.node.split(".").map(Number);
if (version[0] < MINIMUM[0] || (version[0] === MINIMUM[0] && version[1] < MINIMUM[1])) {
  process.stderr.write(
    "dt needs Node " +
      MINIMUM.join(".") +
      " or newer; this is Node " +
      process.versions.node +
      ".\n",
  );
  process.exit(2);
}

require("./commands.cjs").run(process.argv[2], process.argv.slice(3));
