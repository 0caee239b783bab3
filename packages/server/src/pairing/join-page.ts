import type { Pairing } from "./create-pairing.js";

/** A file of the page at `/join`. */
export interface JoinPageFile {
  /** Path in the URL, such as `/join/page.js`. */
  readonly path: string;
  /** Media type. */
  readonly type: string;
  readonly body: string;
}

/** The pairing of a server, and the page on which devices pair. */
export interface JoinOptions {
  readonly pairing: Pairing;
  /** Loads the files of the page. It is called when the page is first requested. */
  loadPage(): Promise<readonly JoinPageFile[]>;
}
