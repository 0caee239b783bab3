// The types that our routes send; the whole list has 2,500.
module.exports = {
  "application/json": { source: "iana", charset: "UTF-8", extensions: ["json"] },
  "text/html": { source: "iana", extensions: ["html"] },
  "text/plain": { source: "iana", extensions: ["txt"] },
};
