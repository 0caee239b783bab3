import type { FileDiff } from "@dt/client";

/** The two sides of proposed changes, as files that exist only here. */
export interface Proposals {
  open(toolCallId: string, diff: FileDiff): ProposalPaths;
  close(toolCallId: string): void;
  read(path: string): string | undefined;
  write(path: string, text: string): void;
  /** The text that a person saved for a call; undefined if they saved none. */
  edited(toolCallId: string): string | undefined;
}

/** Keeps edits by path while the window is reloaded. */
export interface EditMemory {
  load(): Readonly<Record<string, string>>;
  save(edits: Readonly<Record<string, string>>): void;
}

/** How many edits are kept: a question that was answered while the window was closed leaves its edit behind. */
const MOST_EDITS = 20;

/** Where the two sides of a change are found. */
export interface ProposalPaths {
  readonly before: string;
  readonly after: string;
}

/** Keeps proposals. A path ends in the file's own name, so that an editor knows its language. */
export function createProposals(memory: EditMemory): Proposals {
  const texts = new Map<string, string>();
  const edits = new Map(Object.entries(memory.load()));
  const keep = () => memory.save(Object.fromEntries([...edits].slice(-MOST_EDITS)));
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
      keep();
    },
    read: (path) => edits.get(path) ?? texts.get(path),
    write(path, text) {
      edits.set(path, text);
      keep();
    },
    edited: (toolCallId) => [...edits].find(([path]) => toolCallIdOf(path) === toolCallId)?.[1],
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
