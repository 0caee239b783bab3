/** Standard output that only one protocol writes to. */
export interface ReservedOutput extends Disposable {
  readonly output: WritableStream<Uint8Array>;
}

/**
 * Reserves standard output for lines of a protocol. All other output, such as that of a library, goes to
 * standard error, because one wrong line would end the connection to the editor.
 */
export function reserveStdout(): ReservedOutput {
  const { stdout, stderr } = process;
  const original = stdout.write;
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // An editor that is gone ends our input too, which closes the sessions first.
  stdout.removeAllListeners("error");
  stdout.on("error", () => {});
  return {
    output: new WritableStream({
      write: (bytes) =>
        new Promise((resolve, reject) => {
          write(bytes, (error) => (error ? reject(error) : resolve()));
        }),
    }),
    [Symbol.dispose]() {
      stdout.write = original;
    },
  };
}
