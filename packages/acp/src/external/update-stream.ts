import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";

/**
 * Takes the updates of sessions out of a stream and passes them to `onUpdate` in order. The next message is read
 * only after `onUpdate` has handled an update. The response that ends a turn is therefore read after all updates of
 * the turn, and an agent that is faster than the log has to wait.
 */
export function takeUpdates(
  { readable, writable }: Stream,
  onUpdate: (params: unknown) => Promise<void>,
): Stream {
  const reader = readable.getReader();

  let isAfterRequest = false;

  async function pull(controller: ReadableStreamDefaultController<AnyMessage>): Promise<void> {
    for (;;) {
      const next = await reader.read();
      if (next.done) return controller.close();
      if (!isUpdate(next.value)) {
        isAfterRequest = "method" in next.value;
        return controller.enqueue(next.value);
      }
      // The connection calls the handler of a request only some microtasks later. The update waits, to keep the order.
      if (isAfterRequest) await new Promise((resolve) => setTimeout(resolve));
      isAfterRequest = false;
      await onUpdate(next.value.params);
    }
  }

  return {
    writable,
    readable: new ReadableStream<AnyMessage>(
      { pull, cancel: (reason) => reader.cancel(reason) },
      { highWaterMark: 0 },
    ),
  };
}

function isUpdate(message: AnyMessage): message is AnyMessage & { params?: unknown } {
  return (
    "method" in message && !("id" in message) && message.method === methods.client.session.update
  );
}
