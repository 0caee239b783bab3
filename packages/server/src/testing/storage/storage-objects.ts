import { createHash } from "node:crypto";

/** An object of the stand-in. */
export interface StandInObject {
  readonly body: Buffer;
  readonly contentType: string;
  readonly generation: string;
}

/** The outcome of a request to the JSON API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The objects of one bucket, with the rules of the JSON API. */
export interface StorageObjects {
  readonly objects: Map<string, StandInObject>;
  insert(
    name: string,
    upload: Omit<StandInObject, "generation">,
    query: URLSearchParams,
  ): ApiAnswer;
  get(name: string, query: URLSearchParams): ApiAnswer;
  list(query: URLSearchParams): ApiAnswer;
  delete(name: string, query: URLSearchParams): ApiAnswer;
}

/** Creates an empty bucket. A page of a list has at most `pageSize` objects. */
export function createStorageObjects(bucket: string, pageSize: number): StorageObjects {
  const objects = new Map<string, StandInObject>();
  let generations = 1_700_000_000_000_000;

  const toResource = (name: string, { body, contentType, generation }: StandInObject) => ({
    kind: "storage#object",
    id: `${bucket}/${name}/${generation}`,
    name,
    bucket,
    generation,
    metageneration: "1",
    contentType,
    size: String(body.length),
    md5Hash: createHash("md5").update(body).digest("base64"),
    crc32c: crc32c(body),
  });

  /** Compares the preconditions of a request with the object. */
  function isRefused(name: string, query: URLSearchParams): boolean {
    const expected = query.get("ifGenerationMatch");
    return expected !== null && expected !== (objects.get(name)?.generation ?? "0");
  }

  return {
    objects,
    insert(name, upload, query) {
      if (isRefused(name, query)) return createFault(412, "conditionNotMet");
      generations += 1;
      const object = { ...upload, generation: String(generations) };
      objects.set(name, object);
      return toJson(toResource(name, object));
    },
    get(name, query) {
      const object = objects.get(name);
      const generation = query.get("generation") ?? object?.generation;
      if (object === undefined || generation !== object.generation)
        return createFault(404, "notFound");
      if (query.get("alt") !== "media") return toJson(toResource(name, object));
      const { md5Hash, crc32c } = toResource(name, object);
      return {
        status: 200,
        body: object.body,
        headers: {
          "content-type": object.contentType,
          "x-goog-generation": object.generation,
          "x-goog-hash": `crc32c=${crc32c},md5=${md5Hash}`,
        },
      };
    },
    list(query) {
      const [prefix, after] = [query.get("prefix") ?? "", query.get("pageToken") ?? ""];
      const names = [...objects.keys()]
        .filter((name) => name.startsWith(prefix) && name > after)
        .sort();
      const page = names.slice(0, Math.min(pageSize, Number(query.get("maxResults") ?? pageSize)));
      const items = page.map((name) => toResource(name, objects.get(name) as StandInObject));
      const nextPageToken = names.length > page.length ? page.at(-1) : undefined;
      return toJson({ kind: "storage#objects", items, ...(nextPageToken && { nextPageToken }) });
    },
    delete(name, query) {
      if (!objects.has(name)) return createFault(404, "notFound");
      if (isRefused(name, query)) return createFault(412, "conditionNotMet");
      objects.delete(name);
      return { status: 204 };
    },
  };
}

/** Creates the answer of a request that failed. */
export function createFault(status: number, reason: string): ApiAnswer {
  const error = { code: status, message: reason, errors: [{ domain: "global", reason }] };
  return { ...toJson({ error }), status };
}

/** Creates an answer with a JSON value. */
export function toJson(value: unknown): ApiAnswer {
  const headers = { "content-type": "application/json; charset=UTF-8" };
  return { status: 200, headers, body: JSON.stringify(value) };
}

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1 ? 0x82f63b78 : 0) ^ (crc >>> 1);
  return crc >>> 0;
});

/** Computes the CRC-32C of a body as Google sends it. The library compares it after each transfer. */
function crc32c(body: Buffer): string {
  let crc = 0xffffffff;
  for (const byte of body) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return bytes.toString("base64");
}
