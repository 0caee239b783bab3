/** Why an agent cannot be used as asked, before it is put into words. */
export type SetupFault =
  | {
      readonly type: "option";
      readonly name: string;
      readonly given: unknown;
      /** The values that are taken, or what `typeof` says of them. */
      readonly known: readonly string[];
    }
  | {
      readonly type: "name";
      readonly prefix: string;
      readonly name: string;
      readonly known: readonly string[];
    }
  | { readonly type: "silent"; readonly url: string; readonly waitedMs: number }
  | { readonly type: "client-name" }
  | { readonly type: "address"; readonly url: string }
  | { readonly type: "unreachable"; readonly url: string }
  | CardAnswer
  | { readonly type: "extension"; readonly why: string }
  | { readonly type: "interface"; readonly wanted: string; readonly offered: string }
  | { readonly type: "listed-address"; readonly listed: string }
  | { readonly type: "secrecy"; readonly url: string; readonly endpoint: string }
  | { readonly type: "no-socket" }
  | { readonly type: "no-web-socket" }
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "socket"; readonly why: string };

/** An answer that is no agent card. */
export interface CardAnswer {
  readonly type: "answer";
  readonly url: string;
  /** Where the answer came from in the end. */
  readonly from: string;
  readonly status: number;
  readonly text: string;
  readonly hasCredentials: boolean;
}

/** A fault on its way to `connect`, which puts it into words. */
export class FaultySetup extends Error {
  readonly fault: SetupFault;

  constructor(fault: SetupFault, cause?: unknown) {
    super(fault.type, { cause });
    this.fault = fault;
  }
}
