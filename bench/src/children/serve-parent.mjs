/** Sends the address of this child process to the parent process, and then replies to the parent's requests. */
export function serveParent({ url, directory, close, answer = {} }) {
  const answers = {
    memory: () => {
      globalThis.gc?.();
      globalThis.gc?.();
      const { rss, heapUsed, external } = process.memoryUsage();
      return { rss, heap: heapUsed + external, maxRss: process.resourceUsage().maxRSS * 1024 };
    },
    ...answer,
  };
  process.on("message", async ({ id, name, value }) => {
    process.send({ id, result: await answers[name](value) });
  });
  process.on("disconnect", async () => {
    await close();
    process.exit(0);
  });
  process.send({ url, directory });
}
