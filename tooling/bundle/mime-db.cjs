// Replaces `mime-db` and its 2,500 media types. Our routes look up only these three.
module.exports = {
  "application/json": { source: "iana", charset: "UTF-8", extensions: ["json"] },
  "text/html": { source: "iana", extensions: ["html"] },
  "text/plain": { source: "iana", extensions: ["txt"] },
};
