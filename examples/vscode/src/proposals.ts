import type { FileDiff } from "@dt/client";

/** The two sides of proposed changes, as virtual files. */
export interface Proposals {
  open(toolCallId: string, diff: FileDiff): ProposalPaths;
  close(toolCallId: string): void;
  read(path: string): string | undefined;
  write(path: string, text: string): void;
  /** Returns the edited text that was saved for a tool call's proposal; undefined if none was saved. */
  edited(toolCallId: string): string | undefined;
}

/** Stores edits by path, so that they survive a reload. */
export interface EditMemory {
  load(): Readonly<Record<string, string>>;
  save(edits: Readonly<Record<string, string>>): void;
}

/**
 * Maximum number of stored edits. The limit is needed, because an edit whose question is answered elsewhere
 * may never be removed.
 */
const MAX_EDITS = 20;

/** The virtual paths of the two sides. */
export interface ProposalPaths {
  readonly before: string;
  readonly after: string;
}

/** Creates the proposals. A path ends with the file name, so that the editor detects the language. */
export function createProposals(memory: EditMemory): Proposals {
  const texts = new Map<string, string>();
  const edits = new Map(Object.entries(memory.load()));
  const saveEdits = () => memory.save(Object.fromEntries([...edits].slice(-MAX_EDITS)));
  return {
    open(toolCallId, { fileName, oldContent = "", newContent }) {
      const paths = pathsOf(toolCallId, fileName);
      texts.set(paths.before, oldContent);
      texts.set(paths.after, newContent);
      return paths;
    },
    close(toolCallId) {
      for (const path of [...texts.keys(), ...edits.keys()]) {
        if (toolCallIdOf(path) !== toolCallId) continue;
        texts.delete(path);
        edits.delete(path);
      }
      saveEdits();
    },
    read: (path) => edits.get(path) ?? texts.get(path),
    write(path, text) {
      edits.set(path, text);
      saveEdits();
    },
    edited: (toolCallId) => [...edits].find(([path]) => toolCallIdOf(path) === toolCallId)?.[1],
  };
}

/** Returns the tool call id in a path. */
export function toolCallIdOf(path: string): string {
  return decodeURIComponent(path.split("/")[1] ?? "");
}

function pathsOf(toolCallId: string, fileName: string): ProposalPaths {
  const folder = `/${encodeURIComponent(toolCallId)}`;
  const name = fileName.split(/[\\/]/).at(-1) ?? "file";
  return { before: `${folder}/before/${name}`, after: `${folder}/after/${name}` };
}
