// Implements the editor port with VS Code's API. create-chat.ts decides when to call it.
import * as vscode from "vscode";
import type { EditorPort } from "./editor-port.js";
import { beforeProvider, proposalProvider } from "./proposal-files.js";
import { createProposals, toolCallIdOf } from "./proposals.js";

const BEFORE = "dt-before";
const PROPOSAL = "dt-proposal";

/** Creates the port and registers its document providers. */
export function createVscodeEditor(
  context: vscode.ExtensionContext,
  showChat: EditorPort["showChat"],
): EditorPort {
  const proposals = createProposals({
    load: () => context.workspaceState.get("edits") ?? {},
    save: (edits) => void context.workspaceState.update("edits", edits),
  });
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(BEFORE, beforeProvider(proposals)),
    vscode.workspace.registerFileSystemProvider(PROPOSAL, proposalProvider(proposals)),
  );
  const documentOf = (toolCallId: string) =>
    vscode.workspace.textDocuments.find(({ uri }) => isProposal(uri, toolCallId));

  return {
    showChat,
    async openDiff(toolCallId, diff) {
      const { before, after } = proposals.open(toolCallId, diff);
      await vscode.commands.executeCommand(
        "vscode.diff",
        vscode.Uri.from({ scheme: BEFORE, path: before }),
        vscode.Uri.from({ scheme: PROPOSAL, path: after }),
        `${diff.fileName} (proposed)`,
      );
    },
    proposedText: (toolCallId) => documentOf(toolCallId)?.getText() ?? proposals.edited(toolCallId),
    async closeDiff(toolCallId) {
      // The document is saved first, because VS Code would ask about unsaved edits.
      await documentOf(toolCallId)?.save();
      const tabs = vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .filter(
          ({ input }) =>
            input instanceof vscode.TabInputTextDiff && isProposal(input.modified, toolCallId),
        );
      await vscode.window.tabGroups.close(tabs);
      proposals.close(toolCallId);
    },
    notify: (message) => void vscode.window.showInformationMessage(message),
  };
}

/** Finds the tool call id of the proposal at `uri`, or in the active editor if `uri` is undefined. */
export function proposalInFront(uri: vscode.Uri | undefined): string | undefined {
  const shown = uri ?? vscode.window.activeTextEditor?.document.uri;
  return shown?.scheme === PROPOSAL ? toolCallIdOf(shown.path) : undefined;
}

function isProposal(uri: vscode.Uri, toolCallId: string): boolean {
  return uri.scheme === PROPOSAL && toolCallIdOf(uri.path) === toolCallId;
}
