import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type ApiAnswer,
  createFault,
  createStorageObjects,
  type StandInObject,
  toJson,
} from "./storage-objects.js";

/** A request that the stand-in got. */
export interface StorageRequest {
  readonly type: "insert" | "get" | "download" | "list" | "delete" | "bucket" | "unknown";
  /** Name of the object; the prefix of a list. */
  readonly name: string;
  /** Type of the upload; absent if the request is not an upload. */
  readonly upload?: "media" | "multipart" | "resumable";
}

/** A fault of the stand-in. */
export interface StorageFault {
  /** Requests that fail. Default: all. */
  readonly when?: (request: StorageRequest) => boolean;
  /** Number of requests that fail. Default: all from now on. */
  readonly times?: number;
  /** Status of the answer; absent to break the connection instead. */
  readonly status?: number;
  /** True if the request has its effect, although its answer is a failure. */
  readonly isDone?: boolean;
}

/** A server on loopback that speaks the JSON API of Google Cloud Storage. It has one bucket. */
export interface StorageStandIn extends AsyncDisposable {
  readonly endpoint: string;
  readonly bucket: string;
  /** The objects, by name. */
  readonly objects: Map<string, StandInObject>;
  /** The requests so far. */
  readonly requests: readonly StorageRequest[];
  /** Makes requests fail. Returns a function that ends the fault. */
  fail(fault: StorageFault): () => void;
  /** Delays matching requests until the returned function is called. */
  hold(when: (request: StorageRequest) => boolean): () => void;
}

interface Call extends StorageRequest {
  readonly query: URLSearchParams;
  run(): ApiAnswer;
}

interface ActiveFault extends StorageFault {
  left: number;
}

/** Opens a stand-in with an empty bucket. */
export async function openStorageStandIn({
  bucket = "gemini-cli-a2a-tasks",
  pageSize = 1_000,
}: {
  readonly bucket?: string;
  /** Maximum number of objects in a page of a list. */
  readonly pageSize?: number;
} = {}): Promise<StorageStandIn> {
  const storage = createStorageObjects(bucket, pageSize);
  const uploads = new Map<
    string,
    { readonly query: URLSearchParams; readonly contentType: string }
  >();
  const requests: StorageRequest[] = [];
  const faults = new Set<ActiveFault>();
  const holds = new Set<{ when: (request: StorageRequest) => boolean; ended: Promise<void> }>();

  function readUpload(request: IncomingMessage, url: URL, body: Buffer): Call {
    const query = url.searchParams;
    const contentType = request.headers["content-type"] ?? "application/octet-stream";
    const uploadId = query.get("upload_id");
    if (uploadId !== null) {
      const started = uploads.get(uploadId);
      const name = started?.query.get("name") ?? "";
      const run = () =>
        started === undefined
          ? createFault(404, "notFound")
          : storage.insert(name, { body, contentType: started.contentType }, started.query);
      return { type: "insert", upload: "resumable", name, query, run };
    }
    if (query.get("uploadType") === "resumable") {
      const id = String(uploads.size + 1);
      const type = String(request.headers["x-upload-content-type"] ?? contentType);
      const name = query.get("name") ?? "";
      const location = `${endpoint}${url.pathname}?uploadType=resumable&upload_id=${id}`;
      const run = () => {
        uploads.set(id, { query, contentType: type });
        return { status: 200, headers: { location } };
      };
      return { type: "unknown", upload: "resumable", name, query, run };
    }
    const isMultipart = query.get("uploadType") === "multipart";
    const parts = isMultipart ? splitMultipart(body, contentType) : { body, contentType };
    const name = query.get("name") ?? "";
    const upload = isMultipart ? "multipart" : "media";
    return { type: "insert", upload, name, query, run: () => storage.insert(name, parts, query) };
  }

  function readCall(request: IncomingMessage, body: Buffer): Call {
    const url = new URL(request.url ?? "/", endpoint);
    const query = url.searchParams;
    // With STORAGE_EMULATOR_HOST, the library leaves `/storage/v1` out.
    const [, isUpload, found, isObject, encoded = ""] =
      /^(\/upload)?(?:\/storage\/v1)?\/b\/([^/]+)(\/o)?(?:\/(.+))?$/.exec(url.pathname) ?? [];
    const name = decodeURIComponent(encoded);
    if (found === undefined || decodeURIComponent(found) !== bucket) {
      return { type: "unknown", name, query, run: () => createFault(404, "notFound") };
    }
    if (isUpload !== undefined) return readUpload(request, url, body);
    if (isObject === undefined) {
      return {
        type: "bucket",
        name,
        query,
        run: () => toJson({ kind: "storage#bucket", name: bucket }),
      };
    }
    if (name === "") {
      const prefix = query.get("prefix") ?? "";
      return { type: "list", name: prefix, query, run: () => storage.list(query) };
    }
    if (request.method === "DELETE") {
      return { type: "delete", name, query, run: () => storage.delete(name, query) };
    }
    const type = query.get("alt") === "media" ? "download" : "get";
    return { type, name, query, run: () => storage.get(name, query) };
  }

  function takeFault(call: Call): ActiveFault | undefined {
    const fault = [...faults].find(({ when }) => when?.(call) ?? true);
    if (fault === undefined) return undefined;
    fault.left -= 1;
    if (fault.left <= 0) faults.delete(fault);
    return fault;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = readCall(request, Buffer.concat(chunks));
    const { type, name, upload } = call;
    requests.push({ type, name, ...(upload !== undefined && { upload }) });
    for (const { when, ended } of [...holds]) if (when(call)) await ended;
    const fault = takeFault(call);
    const answer = fault === undefined || fault.isDone === true ? call.run() : { status: 500 };
    if (fault !== undefined && fault.status === undefined) {
      request.socket.destroy();
      return;
    }
    const sent = fault?.status === undefined ? answer : createFault(fault.status, "backendError");
    response.writeHead(sent.status, sent.headers).end("body" in sent ? sent.body : undefined);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    endpoint,
    bucket,
    objects: storage.objects,
    requests,
    fail(fault) {
      const active = { ...fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      faults.add(active);
      return () => void faults.delete(active);
    },
    hold(when) {
      let release = () => {};
      const ended = new Promise<void>((resolve) => {
        release = resolve;
      });
      const held = { when, ended };
      holds.add(held);
      return () => {
        holds.delete(held);
        release();
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Splits a multipart upload: the first part is the metadata, the second one the content. */
function splitMultipart(body: Buffer, type: string): Omit<StandInObject, "generation"> {
  const [, boundary = ""] = /boundary="?([^";]+)"?/.exec(type) ?? [];
  const starts: number[] = [];
  const marker = Buffer.from(`--${boundary}`);
  for (let at = body.indexOf(marker); at >= 0; at = body.indexOf(marker, at + 1)) starts.push(at);
  const [, second = 0, end = body.length] = starts;
  const part = body.subarray(second + marker.length + 2, end - 2);
  const split = part.indexOf("\r\n\r\n");
  const [, contentType = "application/octet-stream"] =
    /content-type: *([^\r\n]+)/i.exec(part.subarray(0, split).toString()) ?? [];
  return { body: part.subarray(split + 4), contentType };
}
