import { connect } from "@dt/client";
import { findLocalAgents } from "@dt/client/node";
import * as vscode from "vscode";
import { createChatView } from "./chat-view.js";
import { type ChosenAgent, chooseAgent, isLoopback } from "./choose-agent.js";
import { createChat } from "./create-chat.js";
import { createEditorTools } from "./tools/editor-tools.js";
import { vscodeContext } from "./tools/vscode-context.js";
import { createVscodeEditor, proposalInFront } from "./vscode-editor.js";

/** VS Code calls this when the view is first opened. */
export function activate(context: vscode.ExtensionContext): void {
  const view = createChatView(context.extensionUri, (action) => void chat.act(action));
  let agentUrl: string | undefined;
  const toolsKey = `tools ${folder() ?? ""}`;
  const tools = createEditorTools({
    context: vscodeContext,
    memory: {
      load: () => context.secrets.get(toolsKey),
      save: (text) => context.secrets.store(toolsKey, text),
    },
    isReachable: () => agentUrl !== undefined && isLoopback(agentUrl),
  });
  const chat = createChat({
    editor: createVscodeEditor(context, view.show),
    workspacePath: folder(),
    memory: {
      load: () => context.workspaceState.get<string>("session"),
      save: (contextId) => void context.workspaceState.update("session", contextId),
    },
    tools,
    async connect(signal) {
      const { url, token } = await findAgent();
      agentUrl = url;
      return await connect(url, { clientName: "VS Code", token, signal });
    },
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
    { dispose: tools.close },
  );
}

/** Finds the agent at the address in the setting, or else an agent that runs on this machine. */
async function findAgent(): Promise<ChosenAgent> {
  const configured = vscode.workspace.getConfiguration("dt").get("url", "");
  const found = configured === "" ? await findLocalAgents({ environment: process.env }) : [];
  return chooseAgent(configured, found, folder());
}

function folder(): string | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}
