// Replaces `iconv-lite` and its half a megabyte of tables. Node's decoder is enough for JSON, which is Unicode.
module.exports = {
  encodingExists(encoding) {
    try {
      return new TextDecoder(encoding) !== undefined;
    } catch {
      return false;
    }
  },
  decode: (bytes, encoding) => new TextDecoder(encoding).decode(bytes),
  getDecoder(encoding) {
    const decoder = new TextDecoder(encoding);
    return {
      write: (bytes) => decoder.decode(bytes, { stream: true }),
      end: () => decoder.decode(),
    };
  },
};
