import type { FileDiff } from "@dt/client";

/** The two sides of proposed changes, as files that exist only here. */
export interface Proposals {
  open(toolCallId: string, diff: FileDiff): ProposalPaths;
  close(toolCallId: string): void;
  read(path: string): string | undefined;
  write(path: string, text: string): void;
}

/** Where the two sides of a change are found. */
export interface ProposalPaths {
  readonly before: string;
  readonly after: string;
}

/** Keeps proposals. A path ends in the file's own name, so that an editor knows its language. */
export function createProposals(): Proposals {
  const texts = new Map<string, string>();
  return {
    open(toolCallId, { fileName, oldContent = "", newContent }) {
      const paths = pathsOf(toolCallId, fileName);
      texts.set(paths.before, oldContent);
      if (!texts.has(paths.after)) texts.set(paths.after, newContent);
      return paths;
    },
    close(toolCallId) {
      for (const path of texts.keys()) if (toolCallIdOf(path) === toolCallId) texts.delete(path);
    },
    read: (path) => texts.get(path),
    write: (path, text) => void texts.set(path, text),
  };
}

/** The call that a path belongs to. */
export function toolCallIdOf(path: string): string {
  return decodeURIComponent(path.split("/")[1] ?? "");
}

function pathsOf(toolCallId: string, fileName: string): ProposalPaths {
  const folder = `/${encodeURIComponent(toolCallId)}`;
  const name = fileName.split(/[\\/]/).at(-1) ?? "file";
  return { before: `${folder}/before/${name}`, after: `${folder}/after/${name}` };
}
