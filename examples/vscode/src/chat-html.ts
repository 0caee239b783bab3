/** Creates the HTML of the chat view. Its content security policy allows only its own script and style. */
export function chatHtml(script: string, cspSource: string, nonce: string): string {
  const policy = `default-src 'none'; style-src ${cspSource} 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">
body { display: flex; flex-direction: column; gap: .6em; min-height: 95vh; }
#items { flex: 1; display: flex; flex-direction: column; gap: .6em; overflow-wrap: anywhere; white-space: pre-wrap; }
.prompt { align-self: flex-end; padding: .3em .7em; border-radius: .6em; background: var(--vscode-button-background); color: var(--vscode-button-foreground); }
.thought, #status { color: var(--vscode-descriptionForeground); }
.call { padding: .4em .6em; border: 1px solid var(--vscode-panel-border); border-radius: .4em; }
.call button { margin: .4em .4em 0 0; }
#fault { color: var(--vscode-errorForeground); }
button { border: 0; padding: .3em .8em; background: var(--vscode-button-background); color: var(--vscode-button-foreground); cursor: pointer; }
input { flex: 1; padding: .4em; border: 1px solid var(--vscode-input-border, transparent); background: var(--vscode-input-background); color: var(--vscode-input-foreground); }
form { display: flex; gap: .4em; }
</style>
</head>
<body>
<div id="status"></div>
<div id="items" aria-live="polite"></div>
<div id="fault" role="alert"></div>
<form id="form"><input id="text" list="commands" placeholder="Ask, or / for commands" aria-label="Prompt"><datalist id="commands"></datalist><button type="submit">Send</button></form>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
