"use strict";
// The way in for someone who has only Node and npm: checks Node, installs what is missing, builds
// what changed, then does what was asked. Written for any Node, so that an old one gets a sentence
// and not a syntax error.

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
