/** Reads a stream to its end: letting go of it earlier would abort what the peer is doing. */
export async function drain(frames: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of frames);
  } catch {
    // Whoever reads another stream of the task hears of it.
  }
}
