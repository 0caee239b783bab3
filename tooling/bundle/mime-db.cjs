// Replaces `mime-db` and its 2,500 media types. Only these three are sent by our routes.
module.exports = {
  "application/json": { source: "iana", charset: "UTF-8", extensions: ["json"] },
  "text/html": { source: "iana", extensions: ["html"] },
  "text/plain": { source: "iana", extensions: ["txt"] },
};
