import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { isWaiting, OPTION_IDS, openQuestions } from "@dt/schema";
import { expect, test } from "vitest";
import { choose, openEditor, type TestEditor, textOfUpdate } from "./open-editor.js";

const ENDPOINT = { args: ["--a2a-port", "0"] };

/** Waits for the address that dt prints. */
async function addressOf(editor: TestEditor): Promise<string> {
  return (await editor.notice(/A2A (\S+)/))[1] ?? "";
}

test("a phone can join each session of an editor, see its history and prompt it [ACP-02]", async () => {
  await using home = await openTempWorkspace();
  await using one = await openTempWorkspace();
  await using two = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root, ...ENDPOINT });
  const first = await editor.open(one.root);
  const second = await editor.open(two.root);
  await editor.prompt(second, "say from the editor");
  const phone = await connect(await addressOf(editor), { clientName: "phone" });

  const joined = await phone.openTask(second);
  const seen = joined
    .view()
    .items.flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
  await joined.prompt("say from the phone");
  await editor.update((update) => textOfUpdate(update) === "from the phone");

  expect(seen).toEqual(["from the editor"]);
  expect(editor.updates).toContainEqual(
    expect.objectContaining({
      sessionUpdate: "user_message_chunk",
      content: { type: "text", text: "[phone] " },
    }),
  );
  await expect(phone.openSession("unknown")).rejects.toMatchObject({ code: "task-not-found" });
  await expect(phone.startTask({ prompt: "say lost" })).rejects.toThrow(first);
  const started = await phone.startTask({ prompt: "say named", contextId: first });
  expect(started.contextId).toBe(first);
  phone.close();
});

test("a question that another client answered closes in the editor, and a late answer is refused [ACP-02]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({
    home: home.root,
    ...ENDPOINT,
    async answer(request, signal) {
      // The person answers at the moment when the editor closes the dialog.
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return await choose("reject_once")(request);
    },
  });
  const sessionId = await editor.open(workspace.root);
  const phone = await connect(await addressOf(editor), { clientName: "phone" });
  const prompted = editor.prompt(sessionId, "run touch allowed then say done");
  const { toolCall } = await editor.asked();

  const joined = await phone.openTask(sessionId);
  const [question] = openQuestions(joined.view());
  expect(question && isWaiting(question)).toBe(true);
  await joined.answer({ toolCallId: toolCall.toolCallId }, OPTION_IDS.proceedOnce);

  expect(await prompted).toBe("end_turn");
  const lost = await editor.update(
    (update) =>
      update.sessionUpdate === "tool_call_update" &&
      JSON.stringify(update.content).includes("came too late: phone chose proceed_once"),
  );
  expect(lost).toMatchObject({ toolCallId: toolCall.toolCallId });
  expect(await workspace.read("allowed")).toBe("");
  phone.close();
});

test("the routes of the endpoint guide serve the session that was opened first [ACP-02]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root, ...ENDPOINT });
  const url = await addressOf(editor);
  const create = () => fetch(`${url}tasks`, { method: "POST" });

  const before = await create();
  const first = await editor.open(workspace.root);
  await editor.open(workspace.root);

  expect(before.status).toBe(404);
  expect(await (await create()).json()).toMatchObject({ id: first, contextId: first });
});
