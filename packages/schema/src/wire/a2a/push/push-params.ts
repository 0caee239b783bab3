import type { A2aVersion } from "../a2a.js";
import { compact, findCount, findString, readObject, readString } from "../read-json.js";
import type { PushAddress } from "./push-config.js";

/** Which configs of a task to list; only A2A 1.0 has pages. */
export interface PushListParams {
  readonly taskId: string;
  /** 0 is as many as there are. */
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** Reads the parameters of the methods about push configs. */
export interface PushParams {
  /** The parameters of getting. */
  decodeGetParams(params: unknown): PushAddress;
  /** The parameters of deleting. */
  decodeDeleteParams(params: unknown): Required<PushAddress>;
  /** The parameters of listing. */
  decodeListParams(params: unknown): PushListParams;
}

/** The parameters in each version. Clients do not read them, so they are no part of a spelling. */
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
      const json = readObject(params, "params");
      return compact({
        taskId: readString(json, "taskId", ""),
        pageSize: findCount(json, "pageSize", ""),
        pageToken: findString(json, "pageToken", ""),
      });
    },
  },
};

function decodeAddress(params: unknown): Required<PushAddress> {
  const json = readObject(params, "params");
  return { taskId: readString(json, "taskId", ""), configId: readString(json, "id", "") };
}
