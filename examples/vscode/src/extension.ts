import { type AgentClient, connect } from "@dt/client";
import { findLocalAgents } from "@dt/client/node";
import * as vscode from "vscode";
import { createChatView } from "./chat-view.js";
import { chooseAgent } from "./choose-agent.js";
import { createChat } from "./create-chat.js";
import { createVscodeEditor, proposalInFront } from "./vscode-editor.js";

/** VS Code calls this when the view is first opened. */
export function activate(context: vscode.ExtensionContext): void {
  const view = createChatView(context.extensionUri, (action) => void chat.act(action));
  const chat = createChat({
    editor: createVscodeEditor(context, view.show),
    workspacePath: folder(),
    memory: {
      load: () => context.workspaceState.get<string>("session"),
      save: (contextId) => void context.workspaceState.update("session", contextId),
    },
    connect: connectToAgent,
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

/** Connects to the agent of the setting, else to one that runs on this machine. */
async function connectToAgent(signal: AbortSignal): Promise<AgentClient> {
  const configured = vscode.workspace.getConfiguration("dt").get("url", "");
  const found = configured === "" ? await findLocalAgents({ environment: process.env }) : [];
  const { url, token } = chooseAgent(configured, found, folder());
  return await connect(url, { clientName: "VS Code", token, signal });
}

function folder(): string | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}
