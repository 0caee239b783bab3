/** Reason why `connect` failed, as data; `explainSetup` turns it into a sentence. */
export type SetupFault =
  | {
      readonly type: "option";
      readonly name: string;
      readonly given: unknown;
      /** Allowed values, or the allowed results of `typeof`. */
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

/** A response that is not an agent card. */
export interface CardAnswer {
  readonly type: "answer";
  readonly url: string;
  /** Address of the response, after redirects. */
  readonly from: string;
  readonly status: number;
  readonly text: string;
  readonly hasCredentials: boolean;
}

/**
 * Error that carries a fault. `connect` catches this error, and throws a SetupError that explains the
 * fault.
 */
export class SetupFaultError extends Error {
  readonly fault: SetupFault;

  constructor(fault: SetupFault, cause?: unknown) {
    super(fault.type, { cause });
    this.fault = fault;
  }
}
