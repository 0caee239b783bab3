import path from "node:path";
import { build } from "esbuild";

/** Builds the HTML document and the script of the VS Code example's chat view. */
export async function buildChatView(): Promise<{ readonly html: string; readonly script: string }> {
  const directory = path.resolve(import.meta.dirname, "../../../examples/vscode");
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: ["src/webview/main.ts", "src/chat-html.ts"],
    outdir: "unwritten",
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  const text = (name: string) => outputFiles.find((file) => file.path.endsWith(name))?.text ?? "";
  const { chatHtml } = await import(
    `data:text/javascript,${encodeURIComponent(text("chat-html.js"))}`
  );
  return { script: text("main.js"), html: chatHtml("view.js", "'self'", "bm9uY2U=") };
}
