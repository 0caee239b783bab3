import { connect } from "@dt/client";
import * as vscode from "vscode";
import { createChatView } from "./chat-view.js";
import { createChat } from "./create-chat.js";
import { createVscodeEditor, proposalInFront } from "./vscode-editor.js";

/** VS Code calls this when the view is first opened. */
export function activate(context: vscode.ExtensionContext): void {
  const view = createChatView(context.extensionUri, (action) => void chat.act(action));
  const chat = createChat({
    editor: createVscodeEditor(context, view.show),
    workspacePath: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    memory: {
      load: () => context.workspaceState.get<string>("session"),
      save: (contextId) => void context.workspaceState.update("session", contextId),
    },
    connect: (signal) => connect(agentUrl(), { clientName: "VS Code", signal }),
  });
  const withProposal = (act: (toolCallId: string) => Promise<void>) => async (uri?: vscode.Uri) => {
    const toolCallId = proposalInFront(uri);
    if (toolCallId !== undefined) await act(toolCallId);
  };
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider("dt.chat", view),
    vscode.commands.registerCommand("dt.approve", withProposal(chat.approve)),
    vscode.commands.registerCommand("dt.reject", withProposal(chat.reject)),
    vscode.commands.registerCommand("dt.new", () => chat.act({ type: "new" })),
    vscode.commands.registerCommand("dt.stop", () => chat.act({ type: "stop" })),
    { dispose: chat.close },
  );
}

function agentUrl(): string {
  return vscode.workspace.getConfiguration("dt").get("url", "http://127.0.0.1:41242");
}
