import type { A2aVersion } from "../a2a.js";
import { fromProtoNames } from "../proto-json.js";
import { compact, findCount, findString, readObject, readString } from "../read-json.js";
import type { PushAddress } from "./push-config.js";

/** Parameters of listing configs; only A2A 1.0 has pages. */
export interface PushListParams {
  readonly taskId: string;
  /** Number of configs on a page; 0 means that one page has all configs. */
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** Functions that decode the parameters of the methods for push configs, in one version of A2A. */
export interface PushParams {
  decodeGetParams(params: unknown): PushAddress;
  decodeDeleteParams(params: unknown): Required<PushAddress>;
  decodeListParams(params: unknown): PushListParams;
}

/** Decoders of each version. They are not fields of `PushSpelling`, because clients do not need them. */
export const pushParams: Readonly<Record<A2aVersion, PushParams>> = {
  "0.3": {
    decodeGetParams(params) {
      const json = readObject(params, "params");
      return compact({
        taskId: readString(json, "id", ""),
        configId: findString(json, "pushNotificationConfigId", ""),
      });
    },
    decodeDeleteParams(params) {
      const json = readObject(params, "params");
      return {
        taskId: readString(json, "id", ""),
        configId: readString(json, "pushNotificationConfigId", ""),
      };
    },
    decodeListParams: (params) => ({ taskId: readString(readObject(params, "params"), "id", "") }),
  },
  "1.0": {
    decodeGetParams: decodeAddress,
    decodeDeleteParams: decodeAddress,
    decodeListParams(params) {
      const json = readObject(fromProtoNames(params), "params");
      return compact({
        taskId: readString(json, "taskId", ""),
        pageSize: findCount(json, "pageSize", ""),
        pageToken: findString(json, "pageToken", ""),
      });
    },
  },
};

function decodeAddress(params: unknown): Required<PushAddress> {
  const json = readObject(fromProtoNames(params), "params");
  return { taskId: readString(json, "taskId", ""), configId: readString(json, "id", "") };
}
