import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { chatHtml } from "./chat-html.js";
import type { ChatAction, ChatState } from "./chat-message.js";

/** The chat view in the side bar. */
export interface ChatView extends vscode.WebviewViewProvider {
  show(chat: ChatState): void;
}

export function createChatView(
  extensionUri: vscode.Uri,
  act: (action: ChatAction) => void,
): ChatView {
  let view: vscode.WebviewView | undefined;
  return {
    show: (chat) => void view?.webview.postMessage(chat),
    resolveWebviewView(opened) {
      view = opened;
      const dist = vscode.Uri.joinPath(extensionUri, "dist");
      opened.webview.options = { enableScripts: true, localResourceRoots: [dist] };
      opened.webview.onDidReceiveMessage(act);
      opened.onDidDispose(() => {
        view = undefined;
      });
      const script = opened.webview.asWebviewUri(vscode.Uri.joinPath(dist, "webview.js"));
      const nonce = randomBytes(16).toString("base64");
      opened.webview.html = chatHtml(String(script), opened.webview.cspSource, nonce);
    },
  };
}
