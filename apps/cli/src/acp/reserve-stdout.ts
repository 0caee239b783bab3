/** Standard output that only one protocol writes to. */
export interface ReservedOutput extends Disposable {
  readonly output: WritableStream<Uint8Array>;
}

/**
 * Reserves standard output for lines of a protocol. All other output, such as a message of a library, goes
 * to standard error, because the editor would end the connection after a line that is not part of the
 * protocol.
 */
export function reserveStdout(): ReservedOutput {
  const { stdout, stderr } = process;
  const original = stdout.write;
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // Errors of stdout are ignored. If the editor has ended, stdin ends too, and that closes the sessions.
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
