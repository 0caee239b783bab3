export interface Client {
  readonly name: string;
  readonly folder: string;
  readonly adapter: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly bindings: readonly string[];
  readonly lacks?: Readonly<Record<string, string>>;
}

export interface Cell {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "lacks";
  readonly note?: string;
}

export declare const AGENTS: readonly { readonly name: string }[];
export declare const AGENT_SCENARIO_NAMES: readonly string[];
export declare const CLIENTS: readonly Client[];
export declare const SCENARIO_NAMES: readonly string[];

export declare function runClient(
  client: Client,
  options: {
    readonly binding: string;
    readonly entry: string;
    readonly server: { readonly url: string; readonly workspace: string };
  },
): Promise<Cell[]>;

export declare function describeResults(
  rows: readonly {
    readonly name: string;
    readonly version: string;
    readonly binding?: string;
    readonly cells: readonly Cell[];
  }[],
): { readonly cells: string[][]; readonly notes: string[]; readonly faults: string[] };
